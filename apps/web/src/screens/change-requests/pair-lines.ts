import type { PatchLine } from './read-patch.ts'

/** One row of a diff side by side: what was, and what is. A hunk's heading spans both. */
export interface PairedRow {
  readonly left: PatchLine | undefined
  readonly right: PatchLine | undefined
}

/** Removed lines stand beside the added ones that took their place. */
export function pairLines(lines: readonly PatchLine[]): PairedRow[] {
  const rows: PairedRow[] = []
  let removed: PatchLine[] = []
  let added: PatchLine[] = []
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      rows.push({ left: removed[at], right: added[at] })
    }
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'removed') {
      // A removal after additions begins another change.
      if (added.length > 0) flush()
      removed.push(line)
    } else if (line.kind === 'added') {
      added.push(line)
    } else {
      flush()
      rows.push({ left: line, right: line })
    }
  }
  flush()
  return rows
}
