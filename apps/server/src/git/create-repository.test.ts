import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  checkRepository,
  collectGarbage,
  createRepository,
  deleteRepository,
  GitError,
  listFiles,
  measureRepository,
  openRepository,
  readFile,
  resolveRef,
} from './index.ts'
import { ada, makeRepository } from './testing/make-repository.ts'

const code = (error: unknown) => (GitError.isInstance(error) ? error.code : error)

describe('createRepository', () => {
  test('the first commit holds the given files with their modes, and the repository is sound', async () => {
    const { repository, commit } = await makeRepository([
      { path: 'svc.yaml', content: 'version: 2\n' },
      { path: 'bin/run', content: '#!/bin/sh\n', mode: '100755' },
      { path: 'data/ü ".txt', content: Buffer.from([0, 1, 2]) },
    ])
    const { entries } = await listFiles(repository, { ref: 'main' })
    expect(entries.map(({ path, isExecutable, sizeBytes }) => [path, isExecutable, sizeBytes])).toEqual([
      ['bin/run', true, 10],
      ['data/ü ".txt', false, 3],
      ['svc.yaml', false, 11],
    ])
    expect(await resolveRef(repository, 'HEAD')).toBe(commit)
    expect(await checkRepository(repository)).toEqual([])
  })

  test('a second repository at the same place is refused, the first stays, and no draft is left', async () => {
    const { repository } = await makeRepository()
    const again = createRepository(repository.path, { defaultBranch: 'other' }).catch(code)
    expect(await again).toBe('already_exists')
    expect((await readFile(repository, { ref: 'main', path: 'README.md' })).text).toBe('# Hello\n')
    expect(await readdir(dirname(repository.path))).toEqual(['repo.git'])
  })

  test('a bad file leaves nothing behind', async () => {
    const { scratch } = await makeRepository()
    const files = [{ path: '.git/config', content: 'x' }]
    const made = createRepository(join(scratch, 'bad.git'), { initialCommit: { files, message: 'x', author: ada } })
    expect(await made.catch(code)).toBe('invalid_path')
    expect(await readdir(scratch)).toEqual(['repo.git'])
  })

  test('an empty repository is sound, lists nothing and can be packed', async () => {
    const { scratch } = await makeRepository()
    const { repository, commit } = await createRepository(join(scratch, 'empty.git'))
    expect(commit).toBeNull()
    expect(await checkRepository(repository)).toEqual([])
    await collectGarbage(repository, { mode: 'full' })
    expect(await listFiles(repository, { ref: 'main' }).catch(code)).toBe('ref_not_found')
    expect(await measureRepository(repository)).toBeGreaterThan(0)
  })

  test('a repository is measured while pushes come and go in it', async () => {
    const { repository } = await makeRepository()
    const bytes = await measureRepository(repository)
    let isOver = false
    const coming = async (draft: string) => {
      while (!isOver) {
        await mkdir(join(repository.path, 'objects', draft, 'aa'), { recursive: true })
        await rm(join(repository.path, 'objects', draft), { recursive: true, force: true, maxRetries: 3 })
      }
    }
    const pushes = Promise.all(['tmp_objdir-1', 'tmp_objdir-2', 'tmp_objdir-3'].map(coming))
    try {
      for (let measured = 0; measured < 200; measured += 1) expect(await measureRepository(repository)).toBe(bytes)
    } finally {
      isOver = true
      await pushes
    }
  })

  test('a deleted repository is gone for readers that were open', async () => {
    const { repository } = await makeRepository()
    await readFile(repository, { ref: 'main', path: 'README.md' })
    await deleteRepository(repository)
    expect(await readFile(repository, { ref: 'main', path: 'README.md' }).catch(code)).toBe('repository_not_found')
    expect(await deleteRepository(repository).catch(code)).toBe('repository_not_found')
    expect(await measureRepository(openRepository(repository.path)).catch(code)).toBe('repository_not_found')
  })
})
