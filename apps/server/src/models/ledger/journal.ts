import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { BegunCall } from './call-entry.ts'

/**
 * Calls that the database does not hold yet, in a file of this node. A call is written here before it is forwarded and
 * again when its cost is known, so that a process that dies forgets neither. Everything that one turn of the event loop
 * brings is written through to the system at once: a killed process loses nothing; a machine that loses power may lose
 * the last moments.
 */
export interface Journal {
  /** Resolves when the call is written; rejects when it cannot be, and then must not be forwarded. */
  begin(call: BegunCall): Promise<void>
  /** `entryText` is the entry as JSON, for whoever has it already. */
  settle(call: BegunCall, entryText?: string): void
  /** The database holds these now. */
  forget(callIds: readonly string[]): void
  /** Why the last write failed; undefined after one that did not. */
  failure(): unknown
  close(): void
}

const maxSegmentBytes = 8 * 1024 * 1024
const segmentName = /^calls-(\d+)\.jsonl$/

interface Segment {
  readonly path: string
  /** Calls whose latest line is here and that are not in the database. */
  readonly open: Set<string>
}

/** Opens a new segment; what earlier ones hold is read by `readJournal` and removed by `removeSegments`. */
export function openJournal(folder: string): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let number = Math.max(0, ...listSegments(folder).map(numberOf))
  const segments = new Map<string, Segment>()
  let current: Segment
  let file: number
  let sizeBytes: number
  startSegment()

  function startSegment(): void {
    const path = join(folder, `calls-${number + 1}.jsonl`)
    file = openSync(path, 'a', 0o600)
    number += 1
    current = { path, open: new Set() }
    sizeBytes = 0
  }

  /** Opened before the last one is closed: on a disk without room for another file, the one there is stays. */
  function changeSegment(): void {
    const left = current
    const leftFile = file
    startSegment()
    isTorn = false
    closeSync(leftFile)
    removeWhenDone(left)
  }

  /** The segment ends within a line: another one after it would be read together with it. */
  let isTorn = false
  let failure: unknown
  /** What calls cost that a full disk did not take, tried again with the next turn unless the database has it by then. */
  const unwritten = new Map<string, string>()
  let lines = ''
  let queued: string[] = []
  let turn: Turn | undefined

  function add(kind: 'B' | 'S', { entry, charges }: BegunCall, entryText: string): Turn {
    lines += `${kind}{"entry":${entryText},"charges":${JSON.stringify(charges)}}\n`
    queued.push(entry.call_id)
    if (turn) return turn
    turn = startTurn()
    setImmediate(flush)
    return turn
  }

  function flush(): void {
    const ended = turn
    const text = unwritten.size === 0 ? lines : [...unwritten.values(), lines].join('')
    const ids = unwritten.size === 0 ? queued : [...unwritten.keys(), ...queued]
    turn = undefined
    lines = ''
    queued = []
    try {
      if (text !== '') write(text, ids)
      failure = undefined
      unwritten.clear()
      ended?.resolve()
    } catch (error) {
      failure = error
      keepSettled(text, ids)
      ended?.reject(error)
    }
  }

  function write(text: string, ids: readonly string[]): void {
    if (isTorn || sizeBytes > maxSegmentBytes) changeSegment()
    const bytes = Buffer.from(text)
    try {
      writeWhole(file, bytes)
    } catch (error) {
      cutBack()
      throw error
    }
    sizeBytes += bytes.length
    for (const id of ids) place(id)
  }

  /** Nothing of a turn that failed counts later: none of its calls is forwarded. */
  function cutBack(): void {
    try {
      ftruncateSync(file, sizeBytes)
    } catch {
      // What is torn stays, alone at the end of its segment, where reading skips it.
      isTorn = true
    }
  }

  /** One line for each id, in the same order. */
  function keepSettled(text: string, ids: readonly string[]): void {
    for (const [at, line] of text.split('\n').entries()) {
      const id = ids[at]
      if (id !== undefined && line.startsWith('S')) unwritten.set(id, `${line}\n`)
    }
  }

  function place(id: string): void {
    const before = segments.get(id)
    if (before === current) return
    segments.set(id, current)
    current.open.add(id)
    if (before) leave(before, id)
  }

  function leave(segment: Segment, id: string): void {
    segment.open.delete(id)
    if (segment !== current) removeWhenDone(segment)
  }

  function removeWhenDone(segment: Segment): void {
    if (segment.open.size === 0) unlinkSync(segment.path)
  }

  return {
    begin: (call) => add('B', call, JSON.stringify(call.entry)).promise,
    settle: (call, entryText = JSON.stringify(call.entry)) => void add('S', call, entryText),
    forget(callIds) {
      for (const id of callIds) {
        const segment = segments.get(id)
        segments.delete(id)
        unwritten.delete(id)
        if (segment) leave(segment, id)
      }
    },
    failure: () => failure,
    close() {
      flush()
      closeSync(file)
      removeWhenDone(current)
    },
  }
}

interface Turn {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function startTurn(): Turn {
  let resolve: () => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const promise = new Promise<void>((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  // Those who only settle do not wait: their calls are on their way to the database as well.
  promise.catch(() => undefined)
  return { promise, resolve, reject }
}

/** A write may take only a part, on a disk that is nearly full. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from)
}

/** What processes before this one left behind: each call as it was last known. A line that was cut off is not one. */
export function readJournal(folder: string): { calls: BegunCall[]; unsettled: Set<string>; paths: string[] } {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const paths = listSegments(folder)
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map((name) => join(folder, name))
  const calls = new Map<string, BegunCall>()
  const unsettled = new Set<string>()
  for (const path of paths) {
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      const call = parseLine(line)
      if (!call) continue
      const id = call.entry.call_id
      calls.set(id, call)
      if (line.startsWith('B')) unsettled.add(id)
      else unsettled.delete(id)
    }
  }
  return { calls: [...calls.values()], unsettled, paths }
}

export function removeSegments(paths: readonly string[]): void {
  for (const path of paths) unlinkSync(path)
}

function listSegments(folder: string): string[] {
  return readdirSync(folder).filter((name) => segmentName.test(name))
}

function numberOf(name: string): number {
  return Number(segmentName.exec(name)?.[1] ?? 0)
}

function parseLine(line: string): BegunCall | undefined {
  if (line.length < 2) return undefined
  try {
    return readCall(JSON.parse(line.slice(1)))
  } catch {
    // The process died or the disk was full in the middle of this line, so nothing was forwarded for it.
    return undefined
  }
}

/** Written by `write` above, so it has the type that was written. */
function readCall(value: BegunCall): BegunCall | undefined {
  return typeof value?.entry?.call_id === 'string' ? value : undefined
}
