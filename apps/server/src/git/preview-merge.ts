import { BoundedCache } from './bounded-cache.ts'
import { findMergeBase } from './compare-versions.ts'
import { GitError } from './git-error.ts'
import { type MergeConflict, parseMergeTree } from './parse-merge-tree.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run-git.ts'

export interface MergePreview {
  readonly baseSha: string
  readonly headSha: string
  readonly mergeBase: string | null
  readonly canFastForward: boolean
  readonly canMerge: boolean
  readonly isUpToDate: boolean
  readonly conflicts: readonly MergeConflict[]
  /** The merged tree, when the merge is clean. */
  readonly tree: string | null
}

// Two commits merge the same way every time.
const previews = new BoundedCache<MergePreview>(2_000)

/** Merges two commits in memory: what would happen, and which files stand in the way. No ref moves. */
export async function previewMerge(
  repository: Repository,
  baseSha: string,
  headSha: string,
  signal?: AbortSignal,
): Promise<MergePreview> {
  const key = `${repository.path}\0${baseSha}\0${headSha}`
  const known = previews.get(key)
  if (known) return known
  const preview = await tryMerge(repository, baseSha, headSha, signal)
  previews.set(key, preview, 1 + preview.conflicts.length)
  return preview
}

/** As {@link previewMerge}, never from memory: the objects of the merged tree are on disk, young, when this returns. */
export async function tryMerge(
  repository: Repository,
  baseSha: string,
  headSha: string,
  signal?: AbortSignal,
): Promise<MergePreview> {
  const mergeBase = await findMergeBase(repository, baseSha, headSha, signal)
  const shas = { baseSha, headSha, mergeBase }
  const nothing = { ...shas, canFastForward: false, canMerge: false, isUpToDate: false, conflicts: [], tree: null }
  if (mergeBase === headSha) return { ...nothing, isUpToDate: true }
  if (mergeBase === baseSha) return { ...nothing, canFastForward: true, canMerge: true }
  if (mergeBase === null) return nothing
  const { tree, conflicts } = await mergeTrees(repository, baseSha, headSha, signal)
  return { ...nothing, canMerge: conflicts.length === 0, conflicts, tree: conflicts.length === 0 ? tree : null }
}

async function mergeTrees(repository: Repository, baseSha: string, headSha: string, signal: AbortSignal | undefined) {
  const args = ['merge-tree', '--write-tree', '-z', '--messages', baseSha, headSha]
  const { stdout, stderr, exitCode } = await runGit(repository, args, { answers: [1], signal })
  const parsed = parseMergeTree(stdout)
  if (!parsed) throw new GitError('git_failed', 'The merge could not be tried.', { privateText: stderr })
  if (exitCode === 0) return { tree: parsed.tree, conflicts: [] }
  return parsed
}
