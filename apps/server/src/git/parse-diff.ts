import { pathFromBytes } from './quote-path.ts'

export interface DiffFile {
  readonly path: string
  readonly oldPath: string | null
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'typechange'
  readonly additions: number
  readonly deletions: number
  readonly isBinary: boolean
  /** Null when patches were not asked for, or when this one did not fit any more. */
  readonly patch: string | null
}

export interface ParsedDiff {
  readonly files: readonly (Omit<DiffFile, 'patch'> & { patch: Buffer | null })[]
  /** False when the output was cut before the list of files ended. */
  readonly isHeadWhole: boolean
}

interface RawChange {
  readonly status: DiffFile['status']
  readonly path: string
  readonly oldPath: string | null
  /** A change of type is shown as a removal and an addition. */
  readonly sections: number
}

const statuses: Record<string, DiffFile['status']> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'typechange',
}

/**
 * Reads `diff-tree -z --raw --numstat [-p]`: the raw records, one numstat record each in the same order, then the
 * patches, again in that order. Inside a patch only a header line starts with `diff --git `.
 */
export function parseDiff(output: Buffer, isCut: boolean): ParsedDiff {
  const reader = new FieldReader(output)
  const changes: RawChange[] = []
  while (reader.peek() === 0x3a) {
    const change = readRaw(reader)
    if (!change) return { files: [], isHeadWhole: false }
    changes.push(change)
  }
  const counts = changes.map(() => readCounts(reader))
  if (counts.some((count) => count === null)) return { files: [], isHeadWhole: false }
  const patches = splitPatches(reader.rest(), changes, isCut)
  const files = changes.map(({ sections: _, ...change }, index) => ({
    ...change,
    ...(counts[index] ?? { additions: 0, deletions: 0, isBinary: false }),
    patch: patches[index] ?? null,
  }))
  return { files, isHeadWhole: true }
}

function readRaw(reader: FieldReader): RawChange | null {
  const letter = reader.next()?.toString('latin1').split(' ')[4]?.[0] ?? ''
  const status = statuses[letter] ?? 'modified'
  const first = reader.next()
  if (!first) return null
  const sections = status === 'typechange' ? 2 : 1
  if (status !== 'renamed' && status !== 'copied')
    return { status, path: pathFromBytes(first), oldPath: null, sections }
  const second = reader.next()
  return second && { status, path: pathFromBytes(second), oldPath: pathFromBytes(first), sections }
}

/** `<added>\t<deleted>\t<path>`; a rename leaves the path empty and gives both names as fields of their own. */
function readCounts(reader: FieldReader): Pick<DiffFile, 'additions' | 'deletions' | 'isBinary'> | null {
  const field = reader.next()
  if (!field) return null
  const text = field.toString('latin1')
  const [added = '', deleted = '', path = ''] = text.split('\t')
  if (path === '' && (!reader.next() || !reader.next())) return null
  return { additions: Number(added) || 0, deletions: Number(deleted) || 0, isBinary: added === '-' }
}

function splitPatches(text: Buffer, changes: readonly RawChange[], isCut: boolean): (Buffer | null)[] {
  const starts = findHeaders(text)
  const whole = isCut ? starts.length - 1 : starts.length
  let at = 0
  return changes.map(({ sections }) => {
    const from = starts[at]
    at += sections
    if (from === undefined || at > whole) return null
    return text.subarray(from, starts[at] ?? text.length)
  })
}

const header = Buffer.from('\ndiff --git ')

function findHeaders(text: Buffer): number[] {
  const starts: number[] = []
  if (text.subarray(0, header.length - 1).equals(header.subarray(1))) starts.push(0)
  for (let at = text.indexOf(header); at !== -1; at = text.indexOf(header, at + 1)) starts.push(at + 1)
  return starts
}

class FieldReader {
  private readonly buffer: Buffer
  private at = 0

  constructor(buffer: Buffer) {
    this.buffer = buffer
  }

  peek(): number | undefined {
    return this.buffer[this.at]
  }

  next(): Buffer | null {
    const end = this.buffer.indexOf(0, this.at)
    if (end === -1) return null
    const field = this.buffer.subarray(this.at, end)
    this.at = end + 1
    return field
  }

  /** What follows the records; one NUL stands between them and the patches. */
  rest(): Buffer {
    return this.buffer.subarray(this.buffer[this.at] === 0 ? this.at + 1 : this.at)
  }
}
