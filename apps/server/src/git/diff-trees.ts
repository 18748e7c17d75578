import { GitError } from './git-error.ts'
import { type DiffFile, type ParsedDiff, parseDiff } from './parse-diff.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run-git.ts'

export interface TreeDiff {
  readonly files: readonly DiffFile[]
  readonly filesChanged: number
  readonly additions: number
  readonly deletions: number
  /** Every file's patch, joined. */
  readonly patch: string
  /** Some patches were left out for size; the counts are whole all the same. */
  readonly isTruncated: boolean
}

export interface DiffOptions {
  readonly withPatch?: boolean
  readonly path?: string
  readonly maxPatchBytes?: number
  readonly hides?: (path: string) => boolean
  readonly signal?: AbortSignal | undefined
}

const defaultMaxPatchBytes = 5 * 1024 * 1024
const maxHeadBytes = 32 * 1024 * 1024
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** What changed from one commit or tree to another. `from: null` compares with nothing at all. */
export async function diffTrees(
  repository: Repository,
  from: string | null,
  to: string,
  options: DiffOptions = {},
): Promise<TreeDiff> {
  const { withPatch = false, maxPatchBytes = defaultMaxPatchBytes, hides, path, signal } = options
  const args = ['diff-tree', '-r', '-z', '--full-index', '-C', '-l1000', '--no-ext-diff', '--no-textconv', '--raw']
  args.push('--numstat', '--no-color', ...(withPatch ? ['-p'] : []), '--end-of-options', from ?? emptyTree, to, '--')
  if (path) args.push(path)
  const maxBytes = maxHeadBytes + maxPatchBytes
  const pieces: Buffer[] = []
  let size = 0
  await runGit(repository, args, {
    signal,
    onOutput: (piece) => {
      pieces.push(piece)
      size += piece.length
      return size <= maxBytes
    },
  })
  const parsed = parseDiff(Buffer.concat(pieces), size > maxBytes)
  if (!parsed.isHeadWhole) throw new GitError('too_large', 'Too many files changed to show them all.')
  return summarise(parsed, { withPatch, maxPatchBytes, hides })
}

function summarise(
  parsed: ParsedDiff,
  { withPatch, maxPatchBytes, hides }: { withPatch: boolean; maxPatchBytes: number; hides: DiffOptions['hides'] },
): TreeDiff {
  const files: DiffFile[] = []
  let [additions, deletions, patchBytes, isTruncated] = [0, 0, 0, false]
  for (const { patch, ...file } of parsed.files) {
    // A rename shows a hidden name too: both ends must be visible.
    if (hides?.(file.path) || (file.oldPath !== null && hides?.(file.oldPath))) continue
    additions += file.additions
    deletions += file.deletions
    const fits = patch !== null && patchBytes + patch.length <= maxPatchBytes
    if (withPatch && !fits) isTruncated = true
    if (fits) patchBytes += patch.length
    files.push({ ...file, patch: fits ? patch.toString('utf8') : null })
  }
  const patch = files.map((file) => file.patch ?? '').join('')
  return { files, filesChanged: files.length, additions, deletions, patch, isTruncated }
}
