import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BoundedCache } from './bounded-cache.ts'
import { findMergeBase } from './compare-versions.ts'
import { GitError } from './git-error.ts'
import { type MergeConflict, parseMergeTree } from './parse-merge-tree.ts'
import type { Repository } from './repository.ts'
import { type RunGitOptions, runGit } from './run-git.ts'

export interface MergePreview {
  readonly baseSha: string
  readonly headSha: string
  readonly mergeBase: string | null
  readonly canFastForward: boolean
  readonly canMerge: boolean
  readonly isUpToDate: boolean
  readonly conflicts: readonly MergeConflict[]
}

// Two commits merge the same way every time.
const previews = new BoundedCache<MergePreview>(2_000)

/** Merges two commits aside: what would happen, and which files stand in the way. The repository stays untouched. */
export async function previewMerge(
  repository: Repository,
  baseSha: string,
  headSha: string,
  signal?: AbortSignal,
): Promise<MergePreview> {
  const key = `${repository.path}\0${baseSha}\0${headSha}`
  const known = previews.get(key)
  if (known) return known
  const scratch = await mkdtemp(join(tmpdir(), 'svc-merge-'))
  try {
    const variables = {
      GIT_OBJECT_DIRECTORY: scratch,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository.path, 'objects'),
    }
    const aside = { variables, settings: { 'core.fsync': 'none' }, signal }
    const { tree: _, ...preview } = await tryMerge(repository, baseSha, headSha, aside)
    previews.set(key, preview, 1 + preview.conflicts.length)
    return preview
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Merges two commits and, when that is clean, leaves the merged tree in the repository, safely on disk. */
export async function tryMerge(
  repository: Repository,
  baseSha: string,
  headSha: string,
  options: Pick<RunGitOptions, 'signal' | 'variables' | 'settings'> = {},
): Promise<MergePreview & { tree: string | null }> {
  // Side by side: most branches have parted, and then both answers are needed.
  const [mergeBase, merged] = await Promise.all([
    findMergeBase(repository, baseSha, headSha, options.signal),
    mergeTrees(repository, baseSha, headSha, options),
  ])
  const nothing = { canFastForward: false, canMerge: false, isUpToDate: false, conflicts: [], tree: null }
  const shas = { baseSha, headSha, mergeBase }
  if (mergeBase === headSha) return { ...shas, ...nothing, isUpToDate: true }
  if (mergeBase === baseSha) return { ...shas, ...nothing, canFastForward: true, canMerge: true }
  if (mergeBase === null) return { ...shas, ...nothing }
  if (!merged) throw new GitError('git_failed', 'The merge could not be tried.')
  const { tree, conflicts } = merged
  const canMerge = conflicts.length === 0
  return { ...shas, ...nothing, canMerge, conflicts, tree: canMerge ? tree : null }
}

/** Null when git cannot merge these two at all: they have no commit in common. */
async function mergeTrees(
  repository: Repository,
  baseSha: string,
  headSha: string,
  options: Pick<RunGitOptions, 'signal' | 'variables' | 'settings'>,
) {
  const args = ['merge-tree', '--write-tree', '-z', '--messages', baseSha, headSha]
  const { stdout, stderr, exitCode } = await runGit(repository, args, { ...options, answers: [1, 128] })
  if (exitCode === 128 && /unrelated histories/.test(stderr)) return null
  const parsed = parseMergeTree(stdout)
  if (!parsed) throw new GitError('git_failed', 'The merge could not be tried.', { privateText: stderr })
  return exitCode === 0 ? { tree: parsed.tree, conflicts: [] } : parsed
}
