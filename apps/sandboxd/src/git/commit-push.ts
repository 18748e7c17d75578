import { refuse } from '../http/reply.ts'
import { type Checkout, createGit, describeHead } from './materialise.ts'
import type { RepositoryState } from './repository-state.ts'
import { runGit } from './run-git.ts'

export interface CommitResult {
  readonly committed: boolean
  readonly pushed: boolean
  readonly nothing_to_do: boolean
  readonly branch: string | null
  readonly head_sha: string | null
}

const maxMessageChars = 500
const defaultMessage = 'Work of this session'
const localTimeoutMs = 120_000
const pushTimeoutMs = 300_000

/** Stages everything, commits it, and pushes HEAD to the session's branch. Nothing new to push is a success. */
export async function commitAndPush(
  checkout: Checkout,
  state: RepositoryState,
  message: string | undefined,
): Promise<CommitResult> {
  const git = createGit(checkout, localTimeoutMs)
  const { branch } = checkout.repository
  await git('add', '-A')
  const isClean = await git('diff', '--cached', '--quiet').then(
    () => true,
    () => false,
  )
  if (!isClean) await git('commit', '-q', '--no-verify', '--no-gpg-sign', '-m', cutMessage(message))
  await describeHead(checkout, state)
  const pushed = state.commitSha !== undefined && (await push(checkout, branch))
  return {
    committed: !isClean,
    pushed,
    nothing_to_do: isClean && !pushed,
    branch,
    head_sha: state.commitSha ?? null,
  }
}

/** Whether the remote changed by it. */
async function push({ workspace, environment }: Checkout, branch: string): Promise<boolean> {
  const args = ['push', '--porcelain', '--no-verify', 'origin', `HEAD:refs/heads/${branch}`]
  const result = await runGit(args, { cwd: workspace, env: environment(), timeoutMs: pushTimeoutMs })
  const row = result.stdout.split('\n').find((line) => line.includes(`:refs/heads/${branch}\t`))
  if (result.exitCode === 0) return !(row?.startsWith('=') ?? false)
  if (row?.startsWith('!')) {
    throw refuse(409, 'push_rejected', `The push was rejected: ${row.split('\t').slice(2).join(' ').trim()}.`)
  }
  const words = result.stderr.trim().split('\n').slice(-3).join(' ')
  throw refuse(502, 'push_failed', `The repository could not be reached: ${words || 'no answer'}.`)
}

const cutMessage = (message: string | undefined) => message?.trim().slice(0, maxMessageChars) || defaultMessage
