import { rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  collectGarbage,
  commitFiles,
  compareVersions,
  diffCommit,
  diffSinceParting,
  GitError,
  listBranches,
  listCommits,
  listFileHistory,
  type Repository,
  readCommit,
  resolveRef,
} from './index.ts'
import { ada, makeRepository } from './testing/make-repository.ts'
import { runClient } from './testing/run-client.ts'

const code = (error: unknown) => (GitError.isInstance(error) ? error.code : error)
const prose = Array.from({ length: 40 }, (_, index) => `sentence number ${index}`).join('\n')

let repository: Repository
let work: string
let first: string

beforeAll(async () => {
  const made = await makeRepository([
    { path: 'old.txt', content: `${prose}\n` },
    { path: 'gone.txt', content: 'bye\n' },
    { path: 'plain.txt', content: 'a\nb\n' },
    { path: 'odd\tname.txt', content: 'tab\n' },
  ])
  repository = made.repository
  first = made.commit
  await runClient(made.scratch, ['clone', '-q', repository.path, 'work'])
  work = join(made.scratch, 'work')
  await commitAll('Rename', async () => {
    await rename(join(work, 'old.txt'), join(work, 'new.txt'))
    await rm(join(work, 'gone.txt'))
    await rm(join(work, 'plain.txt'))
    await symlink('new.txt', join(work, 'plain.txt'))
    await writeFile(join(work, 'bin.dat'), Buffer.from([0, 1, 2, 3]))
    await writeFile(join(work, 'odd\tname.txt'), 'tab\ndiff --git a/x b/x\n--- a/x\n')
  })
  await commitAll('Edit\n\nWith a body.\n\x1fand a separator', () =>
    writeFile(join(work, 'new.txt'), `${prose}\nmore\n`),
  )
  await runClient(work, ['push', '-q', 'origin', 'HEAD:main'])
})

describe('commits', () => {
  test('pages follow one walk by cursor, also when the branch moves', async () => {
    const page = await listCommits(repository, { ref: 'main', limit: 2 })
    expect(page.commits.map(({ subject }) => subject)).toEqual(['Edit', 'Rename'])
    expect(page.hasMore).toBe(true)
    await commitFiles(repository, {
      branch: 'main',
      expectedParent: page.tip,
      changes: [{ path: 'later.txt', content: 'x' }],
      message: 'Later',
      author: ada,
    })
    const next = await listCommits(repository, { ref: 'main', limit: 2, cursor: page.nextCursor })
    expect(next.commits.map(({ subject }) => subject)).toEqual(['First'])
    expect(next).toMatchObject({ hasMore: false, nextCursor: null })
  })

  test('a record carries every field of the commit, odd bytes included', async () => {
    const [edit] = (await listCommits(repository, { ref: 'main', path: 'new.txt' })).commits
    expect(edit).toMatchObject({ subject: 'Edit', body: 'With a body.\n\x1fand a separator', authorName: 'Ada' })
    expect(edit?.committedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
    expect(edit?.parents).toHaveLength(1)
  })

  test('the history of a file follows its renames, the commits of a path do not', async () => {
    const history = await listFileHistory(repository, { ref: 'main', path: 'new.txt' })
    expect(history.commits.map(({ subject }) => subject)).toEqual(['Edit', 'Rename', 'First'])
    const commits = await listCommits(repository, { ref: 'main', path: 'new.txt' })
    expect(commits.commits.map(({ subject }) => subject)).toEqual(['Edit', 'Rename'])
    await collectGarbage(repository, { mode: 'full' })
    const git = await runClient(repository.path, ['log', '--follow', '--format=%s', 'main', '--', 'new.txt'])
    expect(history.commits.map(({ subject }) => subject)).toEqual(git.split('\n'))
    const packed = await listFileHistory(repository, { ref: 'main', path: 'new.txt', skip: 1, limit: 1 })
    expect(packed.commits.map(({ subject }) => subject)).toEqual(['Rename'])
    expect(packed.hasMore).toBe(true)
  })

  test('one commit names its files with status, counts, old names and binaries', async () => {
    const rename = (await listCommits(repository, { ref: 'main', path: 'bin.dat' })).commits[0]
    const commit = await readCommit(repository, rename?.hash.slice(0, 10) ?? '')
    const summary = commit.files.map((file) => [
      file.status,
      file.path,
      file.oldPath,
      file.additions,
      file.deletions,
      file.isBinary,
    ])
    expect(summary).toEqual([
      ['added', 'bin.dat', null, 0, 0, true],
      ['deleted', 'gone.txt', null, 0, 1, false],
      ['renamed', 'new.txt', 'old.txt', 0, 0, false],
      ['modified', 'odd\tname.txt', null, 2, 0, false],
      ['typechange', 'plain.txt', null, 1, 2, false],
    ])
    expect(await readCommit(repository, 'beef').catch(code)).toBe('ref_not_found')
  })

  test('the first commit is compared with nothing', async () => {
    const diff = await diffCommit(repository, first)
    expect(diff).toMatchObject({ parent: null, filesChanged: 4, deletions: 0 })
    expect(diff.patch).toContain('new file mode 100644')
  })
})

describe('patches', () => {
  test('each file has its own patch, in order, whatever its lines look like', async () => {
    const rename = (await listCommits(repository, { ref: 'main', path: 'bin.dat' })).commits[0]
    const diff = await diffCommit(repository, rename?.hash ?? '')
    const byPath = new Map(diff.files.map((file) => [file.path, file.patch ?? '']))
    expect(byPath.get('bin.dat')).toContain('Binary files')
    expect(byPath.get('new.txt')).toContain('rename from old.txt')
    expect(byPath.get('odd\tname.txt')).toContain('+diff --git a/x b/x')
    expect(byPath.get('plain.txt')?.match(/^diff --git /gm)).toHaveLength(2)
    expect(diff.patch).toBe([...byPath.values()].join(''))
    expect(diff.isTruncated).toBe(false)
  })

  test('a path keeps one file; a hidden file is in neither files, counts nor patch', async () => {
    const rename = (await listCommits(repository, { ref: 'main', path: 'bin.dat' })).commits[0]?.hash ?? ''
    const one = await diffCommit(repository, rename, { path: 'gone.txt' })
    expect(one.files.map(({ path }) => path)).toEqual(['gone.txt'])
    const hidden = await diffCommit(repository, rename, { hides: (path) => path === 'gone.txt' || path === 'old.txt' })
    expect(hidden.files.map(({ path }) => path)).toEqual(['bin.dat', 'odd\tname.txt', 'plain.txt'])
    expect(hidden.patch).not.toContain('bye')
    expect(hidden.patch).not.toContain('old.txt')
  })

  test('what does not fit is left out by the file, and the counts stay whole', async () => {
    const rename = (await listCommits(repository, { ref: 'main', path: 'bin.dat' })).commits[0]?.hash ?? ''
    const diff = await diffCommit(repository, rename, { maxPatchBytes: 300 })
    expect(diff.isTruncated).toBe(true)
    expect(diff).toMatchObject({ filesChanged: 5, additions: 3, deletions: 3 })
    expect(Buffer.byteLength(diff.patch)).toBeLessThanOrEqual(300)
  })
})

describe('versions and branches', () => {
  test('a version diff counts what one side changed since they parted', async () => {
    const base = await resolveRef(repository, 'main')
    const changes = [{ path: 'side.txt', content: '1\n2\n3\n' }]
    await commitFiles(repository, { branch: 'side', expectedParent: null, changes, message: 'Alone', author: ada })
    const other = { branch: 'topic', message: 'Topic', author: ada }
    await runClient(repository.path, ['branch', 'topic', first])
    await commitFiles(repository, { ...other, expectedParent: first, changes })
    expect(await compareVersions(repository, 'topic', 'main')).toMatchObject({
      mergeBase: first,
      intoSha: base,
      filesChanged: 1,
      additions: 3,
      deletions: 0,
      isUpToDate: false,
      isSameRef: false,
    })
    expect(await compareVersions(repository, first.slice(0, 12), 'main')).toMatchObject({
      isUpToDate: true,
      filesChanged: 0,
    })
    expect(await compareVersions(repository, 'main', 'main')).toMatchObject({ isUpToDate: true, isSameRef: true })
    expect((await compareVersions(repository, 'side', 'main')).mergeBase).toBeNull()
    const threeDot = await diffSinceParting(repository, base, await resolveRef(repository, 'topic'), {
      withPatch: true,
    })
    expect(threeDot.files.map(({ path }) => path)).toEqual(['side.txt'])
  })

  test('branches come with their distance from the default branch, which comes first', async () => {
    const branches = await listBranches(repository, { defaultBranch: 'main' })
    expect(branches[0]).toMatchObject({ name: 'main', isDefault: true, ahead: 0, behind: 0, committerName: 'Ada' })
    expect(branches.find(({ name }) => name === 'topic')).toMatchObject({ ahead: 1, behind: 3, subject: 'Topic' })
    const again = await listBranches(repository, { defaultBranch: 'main' })
    expect(again).toEqual(branches)
    const without = await listBranches(repository, { defaultBranch: 'nope' })
    expect(without.every(({ ahead, behind }) => ahead === null && behind === null)).toBe(true)
  })
})

async function commitAll(message: string, change: () => Promise<unknown>): Promise<void> {
  await change()
  await runClient(work, ['add', '-A'])
  await runClient(work, ['commit', '-q', '-m', message])
}
