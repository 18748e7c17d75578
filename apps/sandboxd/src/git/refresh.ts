import { refuse } from '../http/reply.ts'
import { type Checkout, createGit, describeHead, type Git } from './materialise.ts'
import type { RepositoryState } from './repository-state.ts'

export interface RefreshInput {
  /** Take only the runtime's configuration folder from the base. */
  readonly configDir: string | undefined
  /** Discard the session's commits and stand on the base; at this commit when one is named. */
  readonly toBase: boolean
  readonly baseSha: string | undefined
}

/** Pulls the repository. Only a fast-forward changes the session's own branch, unless the base was asked for. */
export async function refreshRepository(
  checkout: Checkout,
  state: RepositoryState,
  input: RefreshInput,
): Promise<boolean> {
  const git = createGit(checkout)
  const before = state.commitSha
  if (input.toBase) await resetToBase(git, checkout, input.baseSha)
  else if (input.configDir !== undefined) await takeFolder(git, checkout, input.configDir)
  else await fastForward(git, checkout.repository.branch)
  await describeHead(checkout, state)
  return input.configDir !== undefined || before !== state.commitSha
}

async function resetToBase(git: Git, { repository }: Checkout, baseSha: string | undefined): Promise<void> {
  if (baseSha !== undefined && !/^[0-9a-f]{40,64}$/.test(baseSha)) {
    throw refuse(400, 'bad_request', 'base_sha must be a whole commit id.')
  }
  await git('fetch', '-q', '--no-tags', 'origin', baseSha ?? repository.baseRef)
  await git('reset', '-q', '--hard', baseSha ?? 'FETCH_HEAD')
}

async function takeFolder(git: Git, { repository }: Checkout, folder: string): Promise<void> {
  await git('fetch', '-q', '--no-tags', 'origin', repository.baseRef)
  const has = await git('ls-tree', '--name-only', 'FETCH_HEAD', '--', folder)
  if (has !== '') await git('checkout', '-q', 'FETCH_HEAD', '--', folder)
}

async function fastForward(git: Git, branch: string): Promise<void> {
  const listed = await git('ls-remote', 'origin', `refs/heads/${branch}`)
  // Never pushed: there is nothing to pull.
  if (listed === '') return
  await git('fetch', '-q', '--no-tags', 'origin', `+refs/heads/${branch}:refs/remotes/origin/${branch}`)
  const isAhead = await git('merge-base', '--is-ancestor', `refs/remotes/origin/${branch}`, 'HEAD').then(
    () => true,
    () => false,
  )
  if (isAhead) return
  try {
    await git('merge', '-q', '--ff-only', `refs/remotes/origin/${branch}`)
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    throw refuse(409, 'not_fast_forward', `The session and its branch have both moved: ${words}`)
  }
}
