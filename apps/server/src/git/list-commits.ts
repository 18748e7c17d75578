import { checkPath } from './check-path.ts'
import { GitError } from './git-error.ts'
import { type Commit, commitFormat, parseCommits } from './parse-commits.ts'
import type { Repository } from './repository.ts'
import { resolveRef } from './resolve-ref.ts'
import { runGit } from './run-git.ts'

export interface CommitsQuestion {
  readonly ref: string
  readonly path?: string | null
  readonly limit?: number
  readonly skip?: number
  readonly cursor?: string | null
  readonly signal?: AbortSignal
}

export interface CommitPage {
  /** The commit the walk began at. */
  readonly tip: string
  readonly commits: readonly Commit[]
  readonly hasMore: boolean
  /** Continues the same walk even when the branch has moved since. */
  readonly nextCursor: string | null
}

const maxLimit = 200
const maxSkip = 1_000_000

/** Commits reachable from a ref, newest first; with a path only those that touched it. */
export async function listCommits(repository: Repository, question: CommitsQuestion): Promise<CommitPage> {
  const path = checkArgumentPath(question.path ?? '')
  const { tip, limit, skip } = await checkPage(repository, question)
  const args = ['log', '-z', commitFormat, '--no-show-signature', `--max-count=${limit + 1}`, `--skip=${skip}`]
  const { stdout } = await runGit(
    repository,
    [...args, '--end-of-options', tip, '--', ...(path === '' ? [] : [path])],
    {
      signal: question.signal,
    },
  )
  const commits = parseCommits(stdout)
  const hasMore = commits.length > limit
  return { tip, commits: commits.slice(0, limit), hasMore, nextCursor: hasMore ? `${tip}.${skip + limit}` : null }
}

/** Where a page begins: a cursor keeps to the commit its first page began at. */
export async function checkPage(
  repository: Repository,
  question: CommitsQuestion,
): Promise<{ tip: string; limit: number; skip: number }> {
  const limit = Math.min(Math.max(Math.trunc(question.limit ?? 50), 1), maxLimit)
  if (question.cursor) return { ...readCursor(question.cursor), limit }
  const skip = Math.min(Math.max(Math.trunc(question.skip ?? 0), 0), maxSkip)
  return { tip: await resolveRef(repository, question.ref), limit, skip }
}

/** A path as a command-line argument: those can only carry UTF-8. */
export function checkArgumentPath(path: string): string {
  const bytes = checkPath(path)
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes)) {
    throw new GitError('invalid_path', 'The name of this file is no valid UTF-8; its history cannot be asked for.')
  }
  return text
}

function readCursor(cursor: string): { tip: string; skip: number } {
  const match = /^([0-9a-f]{40,64})\.([0-9]{1,9})$/.exec(cursor)
  if (!match?.[1] || !match[2]) throw new GitError('invalid_input', 'This page cursor is not one of ours. Start again.')
  return { tip: match[1], skip: Number(match[2]) }
}
