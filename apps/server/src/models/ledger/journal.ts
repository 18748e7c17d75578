import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
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
  settle(call: BegunCall): void
  /** The database holds these now. */
  forget(callIds: readonly string[]): void
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
    number += 1
    current = { path: join(folder, `calls-${number}.jsonl`), open: new Set() }
    file = openSync(current.path, 'a', 0o600)
    sizeBytes = 0
  }

  let lines = ''
  let queued: string[] = []
  let turn: Turn | undefined

  function add(call: BegunCall, isSettled: boolean): Turn {
    lines += `${isSettled ? 'S' : 'B'}${JSON.stringify(call)}\n`
    queued.push(call.entry.call_id)
    if (turn) return turn
    turn = startTurn()
    setImmediate(flush)
    return turn
  }

  function flush(): void {
    const ended = turn
    const text = lines
    const ids = queued
    turn = undefined
    lines = ''
    queued = []
    try {
      if (text !== '') write(text, ids)
      ended?.resolve()
    } catch (error) {
      ended?.reject(error)
    }
  }

  function write(text: string, ids: readonly string[]): void {
    if (sizeBytes > maxSegmentBytes) {
      closeSync(file)
      const full = current
      startSegment()
      removeWhenDone(full)
    }
    writeWhole(file, Buffer.from(text))
    sizeBytes += text.length
    for (const id of ids) place(id)
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
    begin: (call) => add(call, false).promise,
    settle: (call) => void add(call, true),
    forget(callIds) {
      for (const id of callIds) {
        const segment = segments.get(id)
        segments.delete(id)
        if (segment) leave(segment, id)
      }
    },
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
    // The process died in the middle of this line, so nothing was forwarded for it.
    return undefined
  }
}

/** Written by `write` above, so it has the type that was written. */
function readCall(value: BegunCall): BegunCall {
  return value
}
