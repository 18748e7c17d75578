import { checkSha } from './check-ref.ts'
import { type DiffOptions, diffTrees, type TreeDiff } from './diff-trees.ts'
import type { Repository } from './repository.ts'
import { resolveRef } from './resolve-ref.ts'
import { runGit } from './run-git.ts'

export interface VersionDiff {
  readonly from: string
  readonly into: string
  readonly fromSha: string
  readonly intoSha: string
  readonly mergeBase: string | null
  readonly filesChanged: number
  readonly additions: number
  readonly deletions: number
  /** Everything in `from` is in `into` already. */
  readonly isUpToDate: boolean
  readonly isSameRef: boolean
}

/** What merging `from` into `into` would bring: the changes of `from` since the two parted. */
export async function compareVersions(
  repository: Repository,
  from: string,
  into: string,
  options: Pick<DiffOptions, 'hides' | 'signal'> = {},
): Promise<VersionDiff> {
  const [fromSha, intoSha] = await Promise.all([resolveRef(repository, from), resolveRef(repository, into)])
  const { mergeBase, ...diff } = await diffSinceParting(repository, intoSha, fromSha, options)
  const { filesChanged, additions, deletions } = diff
  const counts = { filesChanged, additions, deletions }
  return {
    from,
    into,
    fromSha,
    intoSha,
    mergeBase,
    ...counts,
    isUpToDate: mergeBase === fromSha,
    isSameRef: from === into,
  }
}

/** The three-dot diff: what `head` changed since it parted from `base`. Unrelated histories compare with `base`. */
export async function diffSinceParting(
  repository: Repository,
  base: string,
  head: string,
  options: DiffOptions = {},
): Promise<TreeDiff & { mergeBase: string | null }> {
  const mergeBase = await findMergeBase(repository, base, head, options.signal)
  const diff = await diffTrees(repository, mergeBase ?? base, checkSha(head), options)
  return { mergeBase, ...diff }
}

export async function findMergeBase(
  repository: Repository,
  one: string,
  other: string,
  signal?: AbortSignal,
): Promise<string | null> {
  if (one === other) return one
  const { stdout } = await runGit(repository, ['merge-base', checkSha(one), checkSha(other)], { answers: [1], signal })
  return stdout.toString('latin1').trim() || null
}

/** Whether every commit of `older` is in `newer`. */
export async function isAncestor(repository: Repository, older: string, newer: string): Promise<boolean> {
  if (older === newer) return true
  const args = ['merge-base', '--is-ancestor', checkSha(older), checkSha(newer)]
  return (await runGit(repository, args, { answers: [1] })).exitCode === 0
}
