import { branchRef } from './check-ref.ts'
import { type CommitIdentity, formatIdentity, formatMessage } from './format-message.ts'
import { GitError } from './git-error.ts'
import { type MergePreview, tryMerge } from './preview-merge.ts'
import type { Repository } from './repository.ts'
import { requireBranch } from './resolve-ref.ts'
import { runGit } from './run-git.ts'
import { updateRefs } from './update-refs.ts'

export interface MergeInput {
  readonly into: string
  readonly from: string
  /** The commits that were previewed. When a branch has moved since, the merge is refused with `stale`. */
  readonly expectedBaseSha?: string | undefined
  readonly expectedHeadSha?: string | undefined
  readonly message: string
  readonly author: CommitIdentity
  readonly committer?: CommitIdentity
  readonly coAuthors?: readonly CommitIdentity[]
  /** Looks at the commit that the base would move to; what it throws, the merge throws, and nothing moved. */
  readonly verify?: (mergedSha: string) => Promise<void>
  readonly signal?: AbortSignal
}

export interface MergeResult {
  readonly mergeCommitSha: string
  readonly isFastForward: boolean
  readonly baseShaBefore: string
  readonly baseShaAfter: string
  readonly headSha: string
  readonly mergeBase: string | null
}

/**
 * Merges one branch into another: a fast-forward when possible, else a merge commit. Both branches are checked and the
 * base is moved in one transaction, so it merges exactly the commits it looked at, or nothing: `stale` when either has
 * moved (details name the ref), `conflict` with the paths, `nothing_to_merge`, `unrelated_histories`.
 */
export async function mergeBranches(repository: Repository, input: MergeInput): Promise<MergeResult> {
  const [baseSha, headSha] = await Promise.all([
    requireBranch(repository, input.into),
    requireBranch(repository, input.from),
  ])
  refuseMoved(input.into, input.expectedBaseSha, baseSha)
  refuseMoved(input.from, input.expectedHeadSha, headSha)
  const preview = await tryMerge(repository, baseSha, headSha, { signal: input.signal })
  refuseUnmergeable(preview)
  const after = preview.canFastForward ? headSha : await writeMergeCommit(repository, preview, input)
  await input.verify?.(after)
  await updateRefs(
    repository,
    [
      { ref: branchRef(input.into), oldSha: baseSha, newSha: after },
      { ref: branchRef(input.from), oldSha: headSha, newSha: headSha },
    ],
    `merge ${input.from}`,
  )
  return {
    mergeCommitSha: after,
    isFastForward: preview.canFastForward,
    baseShaBefore: baseSha,
    baseShaAfter: after,
    headSha,
    mergeBase: preview.mergeBase,
  }
}

function refuseMoved(branch: string, expected: string | undefined, actual: string): void {
  if (expected === undefined || expected === actual) return
  throw new GitError('stale', `${branch} has moved since it was looked at. Look again, then merge.`, {
    details: { ref: branchRef(branch), expected, actual },
  })
}

function refuseUnmergeable(preview: MergePreview): void {
  if (preview.canMerge) return
  if (preview.isUpToDate) throw new GitError('nothing_to_merge', 'The target branch already holds every commit.')
  if (preview.mergeBase === null) {
    throw new GitError('unrelated_histories', 'The two branches have no commit in common and cannot be merged.')
  }
  throw new GitError('conflict', `Both branches changed ${preview.conflicts.length} of the same files.`, {
    details: { conflicts: preview.conflicts.map(({ path }) => path), types: preview.conflicts },
  })
}

async function writeMergeCommit(
  repository: Repository,
  { tree, baseSha, headSha }: Pick<MergePreview, 'baseSha' | 'headSha'> & { tree: string | null },
  input: MergeInput,
): Promise<string> {
  if (tree === null) throw new GitError('git_failed', 'The merged tree is missing.')
  const { stdout } = await runGit(repository, ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    input: [
      `tree ${tree}`,
      `parent ${baseSha}`,
      `parent ${headSha}`,
      `author ${formatIdentity(input.author)}`,
      `committer ${formatIdentity(input.committer ?? input.author)}`,
      '',
      formatMessage(input.message, input.coAuthors),
    ].join('\n'),
    signal: input.signal,
  })
  return stdout.toString('latin1').trim()
}
