import type { TextLine } from './diff-texts.ts'
import { type PairedRow, pairLines } from './pair-lines.ts'
import type { PatchLine } from './read-patch.ts'

const around = 3

/** Two versions beside each other. */
export const listConflictRows = (lines: readonly TextLine[]): PairedRow[] => pairLines(listChangedLines(lines))

/** What differs between two versions, with a few lines around it; gaps are told. */
export function listChangedLines(lines: readonly TextLine[]): PatchLine[] {
  let oldLine = 1
  let newLine = 1
  const numbered = lines.map(({ type, text }): PatchLine => {
    if (type === 'added') return { kind: 'added', text, oldLine: undefined, newLine: newLine++ }
    if (type === 'removed') return { kind: 'removed', text, oldLine: oldLine++, newLine: undefined }
    return { kind: 'context', text, oldLine: oldLine++, newLine: newLine++ }
  })
  const shown: PatchLine[] = []
  let isGap = false
  for (const [at, line] of numbered.entries()) {
    const near = numbered.slice(Math.max(0, at - around), at + around + 1)
    if (near.some(({ kind }) => kind !== 'context')) {
      shown.push(line)
      isGap = false
    } else if (!isGap) {
      shown.push({ kind: 'hunk', text: '…', oldLine: undefined, newLine: undefined })
      isGap = true
    }
  }
  return shown
}
