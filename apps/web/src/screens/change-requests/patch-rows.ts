import { type PairedRow, pairLines } from './pair-lines.ts'
import type { PatchFile, PatchLine } from './read-patch.ts'

/** What the diff shows, one under the other: the heading of each file, then its lines. */
export type PatchRow =
  | { readonly kind: 'file'; readonly file: PatchFile }
  | { readonly kind: 'line'; readonly line: PatchLine }
  | { readonly kind: 'pair'; readonly pair: PairedRow }

export function listRows(files: readonly PatchFile[], isPaired: boolean): PatchRow[] {
  return files.flatMap((file) => {
    const lines: PatchRow[] = isPaired
      ? pairLines(file.lines).map((pair) => ({ kind: 'pair', pair }))
      : file.lines.map((line) => ({ kind: 'line', line }))
    return [{ kind: 'file', file }, ...lines]
  })
}
