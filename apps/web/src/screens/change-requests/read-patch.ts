export interface PatchLine {
  readonly kind: 'context' | 'added' | 'removed' | 'hunk'
  readonly text: string
  readonly oldLine: number | undefined
  readonly newLine: number | undefined
}

export interface PatchFile {
  readonly path: string
  /** What changed besides lines: a new name, a new mode. */
  readonly note: string | undefined
  readonly lines: readonly PatchLine[]
  readonly added: number
  readonly removed: number
}

interface OpenFile {
  path: string
  note: string | undefined
  lines: PatchLine[]
  added: number
  removed: number
}

/** Git's own patch text as files and numbered lines. What it does not know it leaves out. */
export function readPatch(patch: string): PatchFile[] {
  const files: OpenFile[] = []
  let oldLine = 0
  let newLine = 0
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) {
      files.push({ path: readHeader(line), note: undefined, lines: [], added: 0, removed: 0 })
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
      readHead(file, line)
    } else if (line.startsWith('+')) {
      file.added++
      file.lines.push({ kind: 'added', text: line.slice(1), oldLine: undefined, newLine: newLine++ })
    } else if (line.startsWith('-')) {
      file.removed++
      file.lines.push({ kind: 'removed', text: line.slice(1), oldLine: oldLine++, newLine: undefined })
    } else if (line.startsWith(' ')) {
      file.lines.push({ kind: 'context', text: line.slice(1), oldLine: oldLine++, newLine: newLine++ })
    }
  }
  return files
}

const notes: readonly [RegExp, (found: RegExpExecArray) => string][] = [
  [/^new file mode/, () => 'new file'],
  [/^deleted file mode/, () => 'deleted'],
  [/^rename from (.+)$/, ([, from = '']) => `was ${unquote(from)}`],
  [/^copy from (.+)$/, ([, from = '']) => `copy of ${unquote(from)}`],
  [/^new mode (\d+)$/, ([, mode = '']) => `mode ${mode}`],
  [/^(?:Binary files|GIT binary patch)/, () => 'not text'],
]

/** What stands between the heading of a file and its first hunk. */
function readHead(file: OpenFile, line: string): void {
  const named = /^\+\+\+ (.+?)\t?$/.exec(line)?.[1]
  if (named && named !== '/dev/null') file.path = unquote(named).replace(/^b\//, '')
  for (const [pattern, describe] of notes) {
    const found = pattern.exec(line)
    if (found) file.note = [file.note, describe(found)].filter(Boolean).join(', ')
  }
}

function readHeader(header: string): string {
  const quoted = / "b\/(.+)"$/.exec(header)?.[1]
  if (quoted !== undefined) return unquote(`"${quoted}"`)
  return / b\/(.+)$/.exec(header)?.[1] ?? header.slice('diff --git '.length)
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' }

/** Git writes names with unusual characters in quotes, their bytes in octal. */
function unquote(name: string): string {
  const inside = /^"(.*)"$/.exec(name)?.[1]
  if (inside === undefined) return name
  const bytes: number[] = []
  for (const [, octal, escaped, plain] of inside.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else bytes.push(...new TextEncoder().encode(plain ?? escapes[escaped ?? ''] ?? escaped))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}
