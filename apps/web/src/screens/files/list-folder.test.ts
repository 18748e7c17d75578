import { expect, test } from 'vitest'
import { listFolder, listSteps } from './list-folder.ts'

const files = ['README.md', 'src/a.ts', 'src/deep/b.ts', 'srcfile', 'Zoo/x'].map((path) => ({ path, size: 1 }))

test('a folder shows what lies directly in it, folders first, once each', () => {
  expect(listFolder(files, '').map(({ name, isFolder }) => [name, isFolder])).toEqual([
    ['src', true],
    ['Zoo', true],
    ['README.md', false],
    ['srcfile', false],
  ])
  expect(listFolder(files, 'src').map(({ path }) => path)).toEqual(['src/deep', 'src/a.ts'])
})

test('the way to a file names every folder with its own path', () => {
  expect(listSteps('src/deep/b.ts')).toEqual([
    { name: 'src', path: 'src' },
    { name: 'deep', path: 'src/deep' },
    { name: 'b.ts', path: 'src/deep/b.ts' },
  ])
  expect(listSteps('')).toEqual([])
})
