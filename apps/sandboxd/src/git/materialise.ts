import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BootRepository } from '../boot/boot-config.ts'
import type { CommandResult } from '../exec/run-command.ts'
import { readPlainHead, writeFirstSettings } from './plain-repository.ts'
import type { RepositoryState } from './repository-state.ts'
import { runGit } from './run-git.ts'

export interface Checkout {
  readonly workspace: string
  readonly repository: BootRepository
  environment(): Readonly<Record<string, string>>
}

/** A git command that must succeed; its own words become the error. */
export type Git = (...args: string[]) => Promise<string>

const attempts = 4
const networkTimeoutMs = 600_000

/**
 * Brings the workspace to the session's branch: as it was left, else as the remote has it, else begun from the base.
 * Safe to repeat after a crash at any point; the state says how far it came.
 */
export async function materialise(checkout: Checkout, state: RepositoryState): Promise<void> {
  state.status = 'pending'
  for (let attempt = 1; ; attempt += 1) {
    try {
      await bringToBranch(checkout)
      await describeHead(checkout, state)
      state.status = 'ready'
      state.error = undefined
      return
    } catch (error) {
      state.error = error instanceof Error ? error.message : String(error)
      if (attempt >= attempts || isFinal(state.error)) {
        state.status = 'failed'
        return
      }
      await sleep(250 * 2 ** attempt)
    }
  }
}

export function createGit({ workspace, environment }: Checkout, timeoutMs = networkTimeoutMs): Git {
  return async (...args) => {
    const result = await runGit(args, { cwd: workspace, env: environment(), timeoutMs })
    if (result.exitCode !== 0) throw new Error(describeFailure(args, result))
    return result.stdout.trim()
  }
}

/** Tells where HEAD stands now. */
export async function describeHead(checkout: Checkout, state: RepositoryState): Promise<void> {
  Object.assign(state, await readHead(checkout))
}

async function readHead(checkout: Checkout): Promise<Pick<RepositoryState, 'branch' | 'commitSha'>> {
  const plain = readPlainHead(checkout.workspace)
  if (plain) return plain
  const git = createGit(checkout, 20_000)
  return {
    branch: await git('symbolic-ref', '--short', '-q', 'HEAD').catch(() => undefined),
    commitSha: await git('rev-parse', '--verify', '-q', 'HEAD').catch(() => undefined),
  }
}

async function bringToBranch(checkout: Checkout): Promise<void> {
  const { workspace, repository } = checkout
  const git = createGit(checkout)
  removeStaleLocks(workspace)
  // A branch without a commit: the first begin of an empty repository, or one that was cut off before its checkout.
  if (!existsSync(join(workspace, '.git'))) await git('init', '-q', '-b', repository.branch)
  if (!writeFirstSettings(workspace, repository)) await configure(git, repository)
  const { branch: current, commitSha: head } = await readHead(checkout)
  if (current === repository.branch && head !== undefined) return

  const start = await fetchStart(git, repository)
  if (start === undefined) {
    await git('symbolic-ref', 'HEAD', `refs/heads/${repository.branch}`)
    return
  }
  // Files of an unfinished checkout may lie about; those of a finished one are never overwritten.
  const force = head === undefined ? ['-f'] : []
  await git('checkout', '-q', ...force, '--no-track', '-B', repository.branch, start)
}

async function configure(git: Git, { url, authorName, authorEmail }: BootRepository): Promise<void> {
  await git('config', 'remote.origin.url', url)
  await git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*')
  await git('config', 'user.name', authorName)
  await git('config', 'user.email', authorEmail)
}

/** The commit the branch begins at; undefined in a repository that has none at all. */
async function fetchStart(git: Git, { branch, baseRef }: BootRepository): Promise<string | undefined> {
  const wanted = [`refs/heads/${branch}`, `refs/heads/${baseRef}`, `refs/tags/${baseRef}`]
  const listed = await git('ls-remote', 'origin', ...wanted)
  const found = wanted.filter((ref) => listed.split('\n').some((line) => line.endsWith(`\t${ref}`)))
  if (found.length > 0) {
    const heads = found.filter((ref) => ref.startsWith('refs/heads/')).map((ref) => ref.slice('refs/heads/'.length))
    const specs = heads.map((name) => `+refs/heads/${name}:refs/remotes/origin/${name}`)
    const tag = found.find((ref) => ref.startsWith('refs/tags/'))
    await git('fetch', '-q', '--no-tags', 'origin', ...specs, ...(tag ? [`+${tag}:${tag}`] : []))
    return heads[0] === undefined ? tag : `refs/remotes/origin/${heads[0]}`
  }
  const local = await git('rev-parse', '--verify', '-q', '--end-of-options', `${baseRef}^{commit}`).catch(() => '')
  if (local !== '') return local
  if (/^[0-9a-f]{40,64}$/.test(baseRef)) {
    await git('fetch', '-q', '--no-tags', 'origin', baseRef)
    return baseRef
  }
  if ((await git('ls-remote', 'origin')) === '') return undefined
  throw new Error(`The repository has no branch, tag or commit "${baseRef}": start the session from one that exists.`)
}

const isFinal = (error: string) =>
  error.startsWith('The repository has no') || /authentication failed|403|401/i.test(error)

function describeFailure(args: readonly string[], { stderr, exitCode, signal }: CommandResult): string {
  const words = stderr.trim().split('\n').slice(-5).join(' ')
  return `git ${args[0]} failed (${signal ?? `exit code ${exitCode}`})${words === '' ? '.' : `: ${words}`}`
}

/** Nothing else runs in the machine yet: a lock is what a killed git left behind. */
function removeStaleLocks(workspace: string): void {
  for (const name of ['index', 'HEAD', 'config', 'packed-refs', 'shallow', 'FETCH_HEAD']) {
    rmSync(join(workspace, '.git', `${name}.lock`), { force: true })
  }
}
