export interface PatchLine {
  readonly kind: 'context' | 'added' | 'removed' | 'hunk'
  readonly text: string
  readonly oldLine: number | undefined
  readonly newLine: number | undefined
}

export interface PatchFile {
  readonly path: string
  readonly lines: readonly PatchLine[]
}

/** Git's own patch text as files and numbered lines. What it does not know it leaves out. */
export function readPatch(patch: string): PatchFile[] {
  const files: { path: string; lines: PatchLine[] }[] = []
  let oldLine = 0
  let newLine = 0
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) {
      files.push({ path: readPath(line), lines: [] })
      continue
    }
    const file = files.at(-1)
    if (!file) continue
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (hunk) {
      oldLine = Number(hunk[1])
      newLine = Number(hunk[2])
      file.lines.push({ kind: 'hunk', text: line, oldLine: undefined, newLine: undefined })
    } else if (file.lines.length === 0) {
      if (line.startsWith('Binary files'))
        file.lines.push({ kind: 'hunk', text: line, oldLine: undefined, newLine: undefined })
    } else if (line.startsWith('+')) {
      file.lines.push({ kind: 'added', text: line.slice(1), oldLine: undefined, newLine: newLine++ })
    } else if (line.startsWith('-')) {
      file.lines.push({ kind: 'removed', text: line.slice(1), oldLine: oldLine++, newLine: undefined })
    } else if (line.startsWith(' ')) {
      file.lines.push({ kind: 'context', text: line.slice(1), oldLine: oldLine++, newLine: newLine++ })
    }
  }
  return files
}

function readPath(header: string): string {
  return / b\/(.+)$/.exec(header)?.[1]?.replace(/"$/, '') ?? header.slice('diff --git '.length)
}
