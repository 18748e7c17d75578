import { describe, expect, test } from 'vitest'
import {
  checkRepository,
  commitFiles,
  type FileChange,
  GitError,
  listCommits,
  mergeBranches,
  previewMerge,
  type Repository,
  readBranch,
  readFile,
  requireBranch,
} from './index.ts'
import { ada, makeRepository } from './testing/make-repository.ts'
import { runClient } from './testing/run-client.ts'

const code = (error: unknown) => (GitError.isInstance(error) ? error.code : error)
const bot = { name: 'Bot', email: 'bot@example.com' }

describe('merging', () => {
  test('a branch that is only ahead is fast-forwarded', async () => {
    const { repository, commit } = await makeRepository()
    const head = await branchOff(repository, 'work', commit, [{ path: 'a', content: '1' }])
    const result = await merge(repository, 'work')
    expect(result).toMatchObject({
      isFastForward: true,
      baseShaBefore: commit,
      baseShaAfter: head,
      mergeCommitSha: head,
    })
    expect(await merge(repository, 'work').catch(code)).toBe('nothing_to_merge')
  })

  test('parted branches get a merge commit with author, committer and co-author, and both sides in it', async () => {
    const { repository, commit } = await makeRepository()
    await branchOff(repository, 'work', commit, [{ path: 'a', content: '1' }])
    await change(repository, 'main', [{ path: 'b', content: '2' }])
    const result = await mergeBranches(repository, {
      into: 'main',
      from: 'work',
      message: 'Merge CR #1: A',
      author: ada,
      committer: { name: 'svc', email: 'git@svc.invalid' },
      coAuthors: [bot],
    })
    const [merged] = (await listCommits(repository, { ref: 'main', limit: 1 })).commits
    expect(merged).toMatchObject({
      hash: result.mergeCommitSha,
      parents: [result.baseShaBefore, result.headSha],
      authorName: 'Ada',
      committerName: 'svc',
      subject: 'Merge CR #1: A',
      body: 'Co-authored-by: Bot <bot@example.com>',
    })
    expect((await readFile(repository, { ref: 'main', path: 'a' })).text).toBe('1')
    expect((await readFile(repository, { ref: 'main', path: 'b' })).text).toBe('2')
    expect(await checkRepository(repository)).toEqual([])
  })

  test('conflicts are named file by file with their kind, and nothing moves', async () => {
    const files = [
      { path: 'both.txt', content: 'one\n' },
      { path: 'gone.txt', content: 'x\n' },
      { path: 'ok.txt', content: 'y\n' },
    ]
    const { repository, commit } = await makeRepository(files)
    const work = [
      { path: 'both.txt', content: 'mine\n' },
      { path: 'gone.txt', content: 'changed\n' },
      { path: 'new.txt', content: 'a\n' },
    ]
    await branchOff(repository, 'work', commit, work)
    const main = [
      { path: 'both.txt', content: 'yours\n' },
      { path: 'gone.txt', content: null },
      { path: 'new.txt', content: 'b\n' },
    ]
    const base = await change(repository, 'main', main)
    const objects = await runClient(repository.path, ['count-objects', '-v'])
    const preview = await previewMerge(repository, base, await requireBranch(repository, 'work'))
    expect(await runClient(repository.path, ['count-objects', '-v'])).toBe(objects)
    expect(preview).toMatchObject({ canMerge: false, canFastForward: false, isUpToDate: false, mergeBase: commit })
    expect(new Map(preview.conflicts.map(({ path, types }) => [path, types]))).toEqual(
      new Map([
        ['both.txt', ['contents']],
        ['gone.txt', ['modify/delete']],
        ['new.txt', ['add/add']],
      ]),
    )
    const refused = await merge(repository, 'work').catch((error: unknown) => error)
    expect(code(refused)).toBe('conflict')
    expect(GitError.isInstance(refused) && refused.details.conflicts).toEqual(['both.txt', 'gone.txt', 'new.txt'])
    expect(await readBranch(repository, 'main')).toBe(base)
  })

  test('a head or base that moved after the preview is refused as stale, naming the ref', async () => {
    const { repository, commit } = await makeRepository()
    const head = await branchOff(repository, 'work', commit, [{ path: 'a', content: '1' }])
    await change(repository, 'work', [{ path: 'a', content: '2' }])
    const refused = await merge(repository, 'work', { expectedHeadSha: head }).catch((error: unknown) => error)
    expect(code(refused)).toBe('stale')
    expect(GitError.isInstance(refused) && refused.details.ref).toBe('refs/heads/work')
    expect(await merge(repository, 'work', { expectedBaseSha: head }).catch(code)).toBe('stale')
    expect(await readBranch(repository, 'main')).toBe(commit)
  })

  test('histories without a common commit are refused in words', async () => {
    const { repository } = await makeRepository()
    const input = { branch: 'alone', expectedParent: null, message: 'x', author: ada }
    await commitFiles(repository, { ...input, changes: [{ path: 'z', content: 'z' }] })
    expect(await merge(repository, 'alone').catch(code)).toBe('unrelated_histories')
    expect(await merge(repository, 'nope').catch(code)).toBe('ref_not_found')
  })

  test('ten merges at once: every merge that was accepted is in the branch, the others were refused, nothing is lost', async () => {
    const { repository, commit } = await makeRepository()
    await change(repository, 'main', [{ path: 'main.txt', content: 'm' }])
    for (let index = 0; index < 10; index += 1) {
      await branchOff(repository, `work-${index}`, commit, [{ path: `file-${index}`, content: 'x' }])
    }
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) => merge(repository, `work-${index}`).then(() => 'merged', code)),
    )
    expect(results.filter((result) => result === 'merged').length).toBeGreaterThan(0)
    expect(results.every((result) => result === 'merged' || result === 'stale' || result === 'busy')).toBe(true)
    for (const [index, result] of results.entries()) {
      const file = await readFile(repository, { ref: 'main', path: `file-${index}` }).then(
        () => true,
        () => false,
      )
      expect(file).toBe(result === 'merged')
    }
    expect((await readFile(repository, { ref: 'main', path: 'main.txt' })).text).toBe('m')
  })
})

describe('committing files', () => {
  test('20 parallel writers: every accepted edit is present, the rest got stale', async () => {
    const { repository, commit } = await makeRepository()
    const write = async (index: number, expectedParent: string) => {
      const changes = [{ path: `edit-${index}`, content: String(index) }]
      return commitFiles(repository, { branch: 'main', expectedParent, changes, message: `Edit ${index}`, author: ada })
    }
    const accepted = new Set<number>()
    let tip = commit
    for (let round = 0; round < 3; round += 1) {
      const indexes = Array.from({ length: 20 }, (_, at) => round * 20 + at)
      const results = await Promise.all(indexes.map((index) => write(index, tip).then(() => 'ok', code)))
      expect(results.filter((result) => result === 'ok')).toHaveLength(1)
      expect(results.filter((result) => result === 'stale')).toHaveLength(19)
      accepted.add(indexes[results.indexOf('ok')] ?? -1)
      tip = await requireBranch(repository, 'main')
    }
    for (const index of accepted) {
      expect((await readFile(repository, { ref: 'main', path: `edit-${index}` })).text).toBe(String(index))
    }
    expect(await runClient(repository.path, ['rev-list', '--count', 'main'])).toBe('4')
    expect(await runClient(repository.path, ['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main')
    expect(await checkRepository(repository)).toEqual([])
  })

  test('removing, replacing and adding in one commit leaves the other files alone', async () => {
    const { repository, commit } = await makeRepository([
      { path: 'a/1', content: '1' },
      { path: 'a/2', content: '2' },
      { path: 'b', content: 'b' },
    ])
    const changes = [
      { path: 'a/1', content: null },
      { path: 'b', content: 'bb' },
      { path: 'c/d', content: 'd' },
    ]
    await commitFiles(repository, { branch: 'main', expectedParent: commit, changes, message: 'x', author: ada })
    expect(await runClient(repository.path, ['ls-tree', '-r', '--name-only', 'main'])).toBe('a/2\nb\nc/d')
  })

  test('a change that changes nothing makes no commit', async () => {
    const { repository, commit } = await makeRepository()
    const changes = [{ path: 'README.md', content: '# Hello\n' }]
    const input = { branch: 'main', changes, message: 'x', author: ada }
    expect(await commitFiles(repository, { ...input, expectedParent: commit })).toEqual({ commit, isChanged: false })
  })

  test.each(['.git/config', 'a/.GIT/x', 'git~1', '.git./x', '.g\u200cit/x', '../x', '/x', 'a//b', ''])(
    'a file at %j is refused',
    async (path) => {
      const { repository, commit } = await makeRepository()
      const changes = [{ path, content: 'x' }]
      const made = commitFiles(repository, {
        branch: 'main',
        expectedParent: commit,
        changes,
        message: 'x',
        author: ada,
      })
      expect(await made.catch(code)).toBe('invalid_path')
    },
  )

  test('names and messages cannot break out of the commit', async () => {
    const { repository, commit } = await makeRepository()
    const author = { name: 'Eve <x@y> 0\ncommitter Z', email: 'e>\nfrom main <@x' }
    const message = 'Subject\ndata 3\nM 100644 inline x\n\ndone\n'
    const changes = [{ path: 'a"\\\n', content: 'x\nD README.md\n' }]
    await commitFiles(repository, { branch: 'main', expectedParent: commit, changes, message, author })
    const [made] = (await listCommits(repository, { ref: 'main', limit: 1 })).commits
    expect(made?.parents).toEqual([commit])
    expect(made?.body).toContain('done')
    expect((await readFile(repository, { ref: 'main', path: 'README.md' })).text).toBe('# Hello\n')
    expect((await readFile(repository, { ref: 'main', path: 'a"\\\n' })).text).toBe('x\nD README.md\n')
    expect(await checkRepository(repository)).toEqual([])
  })

  test.each(['-x', 'refs/heads/x', 'HEAD', 'a..b', 'x.lock', '0'.repeat(40)])(
    'the branch name %j is refused',
    async (branch) => {
      const { repository } = await makeRepository()
      const input = { branch, expectedParent: null, message: 'x', author: ada }
      expect(await commitFiles(repository, { ...input, changes: [{ path: 'a', content: 'a' }] }).catch(code)).toBe(
        'invalid_ref',
      )
    },
  )
})

async function branchOff(repository: Repository, branch: string, from: string, changes: FileChange[]): Promise<string> {
  await runClient(repository.path, ['branch', branch, from])
  return change(repository, branch, changes)
}

async function change(repository: Repository, branch: string, changes: FileChange[]): Promise<string> {
  const expectedParent = await requireBranch(repository, branch)
  const message = `Change ${branch}`
  return (await commitFiles(repository, { branch, expectedParent, changes, message, author: ada })).commit
}

function merge(
  repository: Repository,
  from: string,
  more: { expectedHeadSha?: string; expectedBaseSha?: string } = {},
) {
  return mergeBranches(repository, { into: 'main', from, message: `Merge ${from}`, author: ada, ...more })
}
