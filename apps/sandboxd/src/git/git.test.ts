import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../testing/test-daemon.ts'

const branch = '0b9c6f1e-1111-4222-8333-444455556666'
let folder: string
let remote: string
const running: TestDaemon[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-git-'))
  remote = join(folder, 'remote.git')
  git(folder, 'init', '-q', '--bare', '-b', 'main', remote)
})
afterEach(async () => {
  for (const daemon of running.splice(0)) await daemon.stop()
  rmSync(folder, { recursive: true, force: true })
})

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=seed', '-c', 'user.email=seed@test', '-c', 'init.defaultBranch=main']
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}

/** One commit on a branch of the remote; answers with its id. */
function seed(name = 'main', file = 'readme.md', content = 'hello\n'): string {
  const clone = mkdtempSync(join(folder, 'seed-'))
  git(clone, 'clone', '-q', remote, '.')
  const isThere = git(clone, 'ls-remote', 'origin', name) !== ''
  git(clone, 'checkout', '-q', '-B', name, ...(isThere ? [`origin/${name}`] : []))
  writeFileSync(join(clone, file), content)
  git(clone, 'add', '-A')
  git(clone, 'commit', '-qm', `seed ${file}`)
  git(clone, 'push', '-q', 'origin', name)
  return git(clone, 'rev-parse', 'HEAD')
}

const repository = (extra: object = {}) => ({
  url: remote,
  branch,
  baseRef: 'main',
  authorName: 'An Agent',
  authorEmail: 'agent@test',
  ...extra,
})

async function start(extra: object = {}, options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const daemon = await startTestDaemon({
    runtime: false,
    ...options,
    boot: { repository: repository(extra), ...options.boot },
  })
  running.push(daemon)
  await daemon.waitFor(({ repo_ready, boot_error }) => repo_ready === true || boot_error !== null)
  return daemon
}

const commitPush = (daemon: TestDaemon, body: object = {}) =>
  daemon.call('POST', '/svc/git/commit-push', { as: 'key', body })

describe('the checkout', () => {
  test('begins the session’s branch at the base', async () => {
    const base = seed()
    const daemon = await start()
    expect(await daemon.health()).toMatchObject({ repo_required: true, repo_ready: true, branch, commit_sha: base })
    expect(readFileSync(join(daemon.workspace, 'readme.md'), 'utf8')).toBe('hello\n')
  })

  test('goes on with the branch when the remote has it', async () => {
    seed()
    const work = seed(branch, 'work.txt')
    const daemon = await start()
    expect(await daemon.health()).toMatchObject({ branch, commit_sha: work })
    expect(existsSync(join(daemon.workspace, 'work.txt'))).toBe(true)
  })

  test('begins at a tag or at a commit too', async () => {
    const first = seed()
    git(remote, 'tag', 'v1', first)
    seed('main', 'later.txt')
    expect(await (await start({ baseRef: 'v1' })).health()).toMatchObject({ branch, commit_sha: first })
    expect(await (await start({ baseRef: first })).health()).toMatchObject({ branch, commit_sha: first })
  })

  test('leaves a workspace that is on the branch alone, whatever is uncommitted in it and whatever the remote says', async () => {
    seed()
    const first = await start()
    writeFileSync(join(first.workspace, 'readme.md'), 'changed')
    first.process.kill('SIGKILL')
    rmSync(remote, { recursive: true })
    const second = await start({}, { env: { SVC_WORKSPACE_DIR: first.workspace } })
    expect(await second.health()).toMatchObject({ repo_ready: true, branch })
    expect(readFileSync(join(first.workspace, 'readme.md'), 'utf8')).toBe('changed')
  })

  test('finishes a checkout that was cut off, with its locks still there', async () => {
    seed()
    const daemon = await start(
      {},
      {
        prepare: ({ workspace }) => {
          git(workspace, 'init', '-q', '-b', branch)
          writeFileSync(join(workspace, '.git', 'index.lock'), '')
          writeFileSync(join(workspace, 'readme.md'), 'half of it')
        },
      },
    )
    expect(await daemon.health()).toMatchObject({ repo_ready: true, branch })
    expect(readFileSync(join(daemon.workspace, 'readme.md'), 'utf8')).toBe('hello\n')
  })

  test('stands on an unborn branch in an empty repository', async () => {
    const daemon = await start()
    expect(await daemon.health()).toMatchObject({ repo_ready: true, branch, commit_sha: null })
  })

  test('that cannot be made is told, and people are kept out with the reason', async () => {
    seed()
    const daemon = await start({ baseRef: 'no-such-branch' })
    const health = await daemon.health()
    expect(health).toMatchObject({ status: 'error', repo_ready: false, runtimeReady: false })
    expect(health.boot_error).toContain('no-such-branch')
    const { status, json } = await daemon.call('GET', '/session')
    expect([status, json.reason]).toEqual([503, 'repo_materialization_failed'])
  })
})

describe('commit and push', () => {
  test('saves everything once; with nothing new it is a success that did nothing', async () => {
    const base = seed()
    const daemon = await start()
    mkdirSync(join(daemon.workspace, 'new'))
    writeFileSync(join(daemon.workspace, 'new', 'file'), 'x')
    const first = await commitPush(daemon, { message: `${'m'.repeat(600)}` })
    expect(first.json).toMatchObject({ committed: true, pushed: true, nothing_to_do: false, branch })
    expect(git(remote, 'rev-parse', branch)).toBe(first.json.head_sha)
    expect(git(remote, 'log', '-1', '--format=%an <%ae> %s', branch)).toBe(`An Agent <agent@test> ${'m'.repeat(500)}`)
    expect(git(remote, 'rev-parse', `${branch}^`)).toBe(base)
    expect((await commitPush(daemon)).json).toMatchObject({ committed: false, pushed: false, nothing_to_do: true })
  })

  test('pushes commits the agent made itself, from whatever branch it stands on', async () => {
    seed()
    const daemon = await start()
    git(daemon.workspace, 'checkout', '-q', '-b', 'feature')
    writeFileSync(join(daemon.workspace, 'a'), '')
    git(daemon.workspace, 'add', '-A')
    git(daemon.workspace, 'commit', '-qm', 'mine')
    const { json } = await commitPush(daemon)
    expect(json).toMatchObject({ committed: false, pushed: true, branch })
    expect(git(remote, 'log', '-1', '--format=%s', branch)).toBe('mine')
  })

  test('a hook of the repository neither runs nor stops it', async () => {
    seed()
    const daemon = await start()
    const hook = join(daemon.workspace, '.git', 'hooks', 'pre-commit')
    mkdirSync(join(daemon.workspace, '.git', 'hooks'), { recursive: true })
    writeFileSync(hook, '#!/bin/sh\ntouch ../hook-ran\nexit 1\n', { mode: 0o755 })
    writeFileSync(join(daemon.workspace, 'a'), '')
    expect((await commitPush(daemon)).json.committed).toBe(true)
    expect(existsSync(join(daemon.folder, 'hook-ran'))).toBe(false)
  })

  test('a branch that moved elsewhere is told, and a remote that is gone too', async () => {
    seed()
    const daemon = await start()
    seed(branch, 'other')
    writeFileSync(join(daemon.workspace, 'a'), '')
    const rejected = await commitPush(daemon)
    expect([rejected.status, rejected.json.code]).toEqual([409, 'push_rejected'])
    rmSync(remote, { recursive: true })
    expect((await commitPush(daemon)).status).toBe(502)
  })

  test('two at once: one saves, the other is told to wait', async () => {
    seed()
    const daemon = await start()
    writeFileSync(join(daemon.workspace, 'a'), '')
    const statuses = (await Promise.all([commitPush(daemon), commitPush(daemon)])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409])
  })

  test('without a repository there is nothing to save', async () => {
    const daemon = await startTestDaemon({ runtime: false })
    running.push(daemon)
    expect((await commitPush(daemon)).status).toBe(409)
  })
})

describe('refresh', () => {
  const refresh = (daemon: TestDaemon, query = '', as: 'key' | 'platform' = 'key') =>
    daemon.call('POST', `/svc/refresh${query}`, { as })

  test('takes what the branch got elsewhere, by fast-forward only', async () => {
    seed()
    const daemon = await start()
    expect((await refresh(daemon)).json).toMatchObject({ ok: true, changed: false })
    const work = seed(branch, 'other')
    expect((await refresh(daemon)).json).toMatchObject({ ok: true, changed: true, head_sha: work })
  })

  test('discards the session’s commits for the platform alone', async () => {
    seed()
    const daemon = await start()
    writeFileSync(join(daemon.workspace, 'a'), '')
    await commitPush(daemon)
    const newer = seed('main', 'newer')
    const refused = await refresh(daemon, '?base=1')
    expect([refused.status, refused.json.code]).toEqual([403, 'base_reset_forbidden'])
    expect((await refresh(daemon, '?base=1', 'platform')).json).toMatchObject({ head_sha: newer })
    expect(existsSync(join(daemon.workspace, 'a'))).toBe(false)
  })

  test('takes only the configuration folder when asked, and reloads the runtime', async () => {
    seed()
    const daemon = await start({}, { runtime: true })
    const clone = mkdtempSync(join(folder, 'config-'))
    git(clone, 'clone', '-q', remote, '.')
    mkdirSync(join(clone, '.svc/opencode'), { recursive: true })
    writeFileSync(join(clone, '.svc/opencode/x.md'), 'new')
    writeFileSync(join(clone, 'readme.md'), 'not this')
    git(clone, 'add', '-A')
    git(clone, 'commit', '-qm', 'c')
    git(clone, 'push', '-q', 'origin', 'main')
    const { json } = await refresh(daemon, '?config_dir=1')
    expect(json).toMatchObject({ ok: true, opencode_reload: 'disposed' })
    expect(readFileSync(join(daemon.workspace, '.svc/opencode/x.md'), 'utf8')).toBe('new')
    expect(readFileSync(join(daemon.workspace, 'readme.md'), 'utf8')).toBe('hello\n')
    expect((await refresh(daemon, '?restart=0')).json.opencode_reload).toBe(null)
  })
})
