import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  archiveTree,
  collectGarbage,
  commitFiles,
  countFiles,
  GitError,
  listFiles,
  type Repository,
  readFile,
  resolveCommit,
  resolveRef,
  searchContent,
  searchNames,
  statFile,
  streamFile,
} from './index.ts'
import { closeAllReaders, countReaders, sweepIdleReaders } from './reader-pool.ts'
import { ada, makeRepository } from './testing/make-repository.ts'
import { runClient } from './testing/run-client.ts'

const code = (error: unknown) => (GitError.isInstance(error) ? error.code : error)

let repository: Repository
let scratch: string
let first: string

beforeAll(async () => {
  const made = await makeRepository([
    { path: 'README.md', content: '# Hello World\nsecond hello\n' },
    { path: 'docs/hello.txt', content: 'plain\n' },
    { path: 'docs/say-hello.txt', content: 'HELLO there\n' },
    { path: 'hello-dir/other.txt', content: 'nothing\n' },
    { path: 'binary.bin', content: Buffer.from([72, 101, 108, 108, 111, 0, 1]) },
    { path: 'latin.txt', content: Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]) },
    { path: 'many.txt', content: 'needle\n'.repeat(30) },
    { path: 'wide.txt', content: `needle${'x'.repeat(100_000)}\n` },
    { path: 'line\nbreak.txt', content: 'odd\n' },
    { path: '"\\"quoted\\""', content: 'q\n' },
    { path: '-rf', content: 'dash\n' },
    { path: ':(glob)*', content: 'magic\n' },
  ])
  repository = made.repository
  scratch = made.scratch
  first = made.commit
  await runClient(repository.path, ['tag', 'v1', first])
})

describe('reading a file', () => {
  test('by branch, tag, commit and short commit it is the same content with the same object id', async () => {
    const ids = new Set<string>()
    for (const ref of ['main', 'v1', 'refs/heads/main', 'refs/tags/v1', 'HEAD', first, first.slice(0, 8)]) {
      const file = await readFile(repository, { ref, path: 'README.md' })
      expect(file.text).toBe('# Hello World\nsecond hello\n')
      expect(file.commit).toBe(first)
      ids.add(file.objectId)
    }
    expect(ids.size).toBe(1)
  })

  test('a binary file has no text, a file in another encoding is told apart from UTF-8', async () => {
    expect(await readFile(repository, { ref: 'main', path: 'binary.bin' })).toMatchObject({
      isBinary: true,
      text: null,
    })
    const latin = await readFile(repository, { ref: 'main', path: 'latin.txt' })
    expect(latin).toMatchObject({ isBinary: false, isUtf8: false })
    expect(latin.content).toEqual(Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]))
  })

  test.each([
    '/etc/passwd',
    '../x',
    'docs/../README.md',
    './README.md',
    'docs//hello.txt',
    'a\0b',
    `${'x'.repeat(5000)}`,
  ])('the path %j is refused', async (path) => {
    expect(await readFile(repository, { ref: 'main', path }).catch(code)).toBe('invalid_path')
    expect(await listFiles(repository, { ref: 'main', path }).catch(code)).toBe('invalid_path')
    expect(await archiveTree(repository, { ref: 'main', path }).catch(code)).toBe('invalid_path')
  })

  test.each(['docs', 'nope', 'README.md/x', '.git/config', ''])('%j is no file', async (path) => {
    expect(await readFile(repository, { ref: 'main', path }).catch(code)).toBe('path_not_found')
  })

  test.each(['line\nbreak.txt', '"\\"quoted\\""', '-rf', ':(glob)*'])(
    'the odd name %j is read as itself',
    async (path) => {
      expect((await readFile(repository, { ref: 'main', path })).sizeBytes).toBeGreaterThan(0)
    },
  )

  test('a missing name with a line break in it does not confuse the next answer', async () => {
    const odd = `x 5\n${first} blob 3\n`
    const all = await Promise.all([
      readFile(repository, { ref: 'main', path: odd }).catch(code),
      readFile(repository, { ref: 'main', path: 'docs/hello.txt' }).then((file) => file.text),
    ])
    expect(all).toEqual(['path_not_found', 'plain\n'])
  })

  test('a symbolic link out of the tree reads as its own text', async () => {
    await runClient(scratch, ['clone', '-q', repository.path, 'links'])
    await symlink('/etc/passwd', join(scratch, 'links', 'passwd'))
    await symlink('..', join(scratch, 'links', 'up'))
    await runClient(join(scratch, 'links'), ['add', '-A'])
    await runClient(join(scratch, 'links'), ['commit', '-q', '-m', 'links'])
    await runClient(join(scratch, 'links'), ['push', '-q', 'origin', 'HEAD:links'])
    expect((await readFile(repository, { ref: 'links', path: 'passwd' })).text).toBe('/etc/passwd')
    expect(await readFile(repository, { ref: 'links', path: 'up/README.md' }).catch(code)).toBe('path_not_found')
    const { entries } = await listFiles(repository, { ref: 'links' })
    expect(entries.find(({ path }) => path === 'passwd')?.type).toBe('symlink')
  })

  test('too large to hold is refused whole and streamed in full', async () => {
    const question = { ref: 'main', path: 'wide.txt' }
    expect(await readFile(repository, { ...question, maxBytes: 1000 }).catch(code)).toBe('too_large')
    const { stream, sizeBytes } = await streamFile(repository, question)
    expect(Buffer.concat(await stream.toArray()).length).toBe(sizeBytes)
  })

  test('a thousand reads at once use a bounded number of processes, which end when idle', async () => {
    // Of the files that ran before this one in the same process.
    closeAllReaders()
    const reads = Array.from({ length: 1000 }, () => readFile(repository, { ref: 'main', path: 'docs/hello.txt' }))
    expect(new Set((await Promise.all(reads)).map(({ text }) => text))).toEqual(new Set(['plain\n']))
    expect(countReaders()).toBeLessThanOrEqual(2)
    expect(sweepIdleReaders(Date.now() + 60_000)).toBe(0)
    expect((await statFile(repository, { ref: 'main', path: 'docs/hello.txt' })).sizeBytes).toBe(6)
  })

  test('a reader sees a branch that moved after it was started, also when the refs were packed', async () => {
    const before = await readFile(repository, { ref: 'main', path: 'README.md' })
    const changes = [{ path: 'README.md', content: 'new\n' }]
    const branch = { branch: 'moving', message: 'x', author: ada }
    const one = await commitFiles(repository, { ...branch, expectedParent: null, changes })
    expect((await readFile(repository, { ref: 'moving', path: 'README.md' })).text).toBe('new\n')
    await runClient(repository.path, ['pack-refs', '--all'])
    await commitFiles(repository, {
      ...branch,
      expectedParent: one.commit,
      changes: [{ path: 'README.md', content: 'newer\n' }],
    })
    expect((await readFile(repository, { ref: 'moving', path: 'README.md' })).text).toBe('newer\n')
    expect(before.text).not.toBe('newer\n')
  })
})

describe('reading while the repository is packed', () => {
  test('a reader that was open before finds every file after', async () => {
    const before = await readFile(repository, { ref: 'main', path: 'README.md' })
    await collectGarbage(repository, { mode: 'full' })
    await collectGarbage(repository, { mode: 'auto' })
    for (const path of ['many.txt', 'binary.bin', 'README.md']) {
      expect((await readFile(repository, { ref: 'main', path })).sizeBytes).toBeGreaterThan(0)
    }
    expect((await readFile(repository, { ref: first, path: 'README.md' })).objectId).toBe(before.objectId)
  })
})

describe('naming a commit', () => {
  test.each([
    '-delete',
    '--upload-pack=x',
    'main..v1',
    'main~1',
    'main^{tree}',
    'main:README.md',
    ':/First',
    '@{-1}',
    'refs/heads/*',
    '+main',
    'a b',
    'x.lock',
    '',
    '/main',
    'main/',
    `a${'b'.repeat(300)}`,
  ])('%j is refused', async (ref) => {
    expect(await resolveRef(repository, ref).catch(code)).toBe('invalid_ref')
  })

  test('an unknown name, an unknown commit and a blob are not found', async () => {
    const { objectId } = await statFile(repository, { ref: 'main', path: 'README.md' })
    for (const ref of ['nope', 'f'.repeat(40), objectId]) {
      expect(await resolveRef(repository, ref).catch(code)).toBe('ref_not_found')
    }
  })

  test('a branch named like the beginning of a commit does not stand in for that commit', async () => {
    const name = 'abcdef12'
    await runClient(repository.path, ['branch', name, first])
    expect(await resolveRef(repository, name)).toBe(first)
    expect(await resolveCommit(repository, name).catch(code)).toBe('ref_not_found')
    expect(await resolveCommit(repository, 'xyz').catch(code)).toBe('invalid_ref')
  })
})

describe('listing', () => {
  test('pages join to the whole tree, and stay in it when the branch moves between them', async () => {
    const files = Array.from({ length: 25 }, (_, index) => ({
      path: `f/${String(index).padStart(2, '0')}`,
      content: 'x',
    }))
    const made = await commitFiles(repository, {
      branch: 'pages',
      expectedParent: null,
      changes: files,
      message: 'x',
      author: ada,
    })
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await listFiles(repository, { ref: 'pages', limit: 10, cursor, hides: (path) => path === 'f/03' })
      seen.push(...page.entries.map(({ path }) => path))
      if (cursor === null) {
        const changes = [{ path: 'a', content: 'early' }]
        await commitFiles(repository, {
          branch: 'pages',
          expectedParent: made.commit,
          changes,
          message: 'y',
          author: ada,
        })
      }
      cursor = page.nextCursor
    } while (cursor)
    expect(seen).toEqual(files.map(({ path }) => path).filter((path) => path !== 'f/03'))
    expect(await countFiles(repository, { ref: 'pages', hides: (path) => path === 'f/03' })).toBe(25)
    expect(await listFiles(repository, { ref: 'pages', cursor: 'x' }).catch(code)).toBe('invalid_input')
  })

  test('one level shows directories; a path keeps to its directory', async () => {
    const top = await listFiles(repository, { ref: 'main', recursive: false })
    expect(top.entries.filter(({ type }) => type === 'directory').map(({ path }) => path)).toEqual([
      'docs',
      'hello-dir',
    ])
    const docs = await listFiles(repository, { ref: 'main', path: 'docs/' })
    expect(docs.entries.map(({ path }) => path)).toEqual(['docs/hello.txt', 'docs/say-hello.txt'])
    expect(await listFiles(repository, { ref: 'main', path: 'README.md' }).catch(code)).toBe('path_not_found')
  })

  test('names that are no UTF-8 are listed, read and found again by the same string', async () => {
    const name = Buffer.from([0x63, 0x61, 0x66, 0xe9])
    await runClient(scratch, ['clone', '-q', repository.path, 'bytes'])
    await writeFile(Buffer.concat([Buffer.from(`${join(scratch, 'bytes')}/`), name]), 'latin name')
    await runClient(join(scratch, 'bytes'), ['add', '-A'])
    await runClient(join(scratch, 'bytes'), ['commit', '-q', '-m', 'bytes'])
    await runClient(join(scratch, 'bytes'), ['push', '-q', 'origin', 'HEAD:bytes'])
    const { entries } = await listFiles(repository, { ref: 'bytes' })
    const path = entries.find((entry) => entry.path.includes('caf'))?.path ?? ''
    expect(path).toBe('"caf\\351"')
    expect((await readFile(repository, { ref: 'bytes', path })).text).toBe('latin name')
  })
})

describe('searching', () => {
  test('names: base names that start with it, then base names that hold it, then paths', async () => {
    const { paths } = await searchNames(repository, { ref: 'main', query: 'HELLO' })
    expect(paths).toEqual(['docs/hello.txt', 'docs/say-hello.txt', 'hello-dir/other.txt'])
    const hidden = await searchNames(repository, {
      ref: 'main',
      query: 'hello',
      limit: 1,
      hides: (path) => path === paths[0],
    })
    expect(hidden.paths).toEqual(['docs/say-hello.txt'])
  })

  test('content: fixed string in any case, no binary, ten lines a file, long lines cut', async () => {
    const hello = await searchContent(repository, { ref: 'main', query: 'hello' })
    expect(hello.matches).toEqual([
      { path: 'README.md', lineNumber: 1, lineText: '# Hello World' },
      { path: 'README.md', lineNumber: 2, lineText: 'second hello' },
      { path: 'docs/say-hello.txt', lineNumber: 1, lineText: 'HELLO there' },
    ])
    const { matches } = await searchContent(repository, { ref: 'main', query: 'needle', limit: 200 })
    expect(matches.filter(({ path }) => path === 'many.txt')).toHaveLength(10)
    expect(matches.find(({ path }) => path === 'wide.txt')?.lineText).toHaveLength(400)
    expect((await searchContent(repository, { ref: 'main', query: 'needle', limit: 3 })).matches).toHaveLength(3)
  })

  test('a query like an option or a pattern is only text', async () => {
    for (const query of ['--open-files-in-pager=touch x', '.*', '-e', '$(id)']) {
      expect((await searchContent(repository, { ref: 'main', query })).matches).toEqual([])
    }
    expect(await searchContent(repository, { ref: 'main', query: 'a\nb' }).catch(code)).toBe('invalid_input')
  })
})

describe('archive', () => {
  test('a tarball of the tree or of one directory, in a folder', async () => {
    const { stream, entityTag } = await archiveTree(repository, { ref: 'main', path: 'docs', folder: 'proj' })
    const text = gunzipSync(Buffer.concat(await stream.toArray())).toString('latin1')
    expect(text).toContain('proj/docs/hello.txt')
    expect(text).not.toContain('README.md')
    expect(entityTag).toMatch(/^[0-9a-f]{40}-[0-9a-f]{40}$/)
    expect(await archiveTree(repository, { ref: 'main', path: 'nope' }).catch(code)).toBe('path_not_found')
    expect(await archiveTree(repository, { ref: 'main', folder: '../x' }).catch(code)).toBe('invalid_input')
  })

  test('a reader that stops early ends it without an unhandled failure', async () => {
    const { stream } = await archiveTree(repository, { ref: 'main' })
    stream.destroy()
    await new Promise((resolve) => stream.once('close', resolve))
    expect(stream.destroyed).toBe(true)
  })
})
