import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { BegunCall } from './call-entry.ts'

/**
 * Calls that the database does not hold yet, in a file of this node. A call is written here before it is forwarded and
 * again when its cost is known, so that a process that dies forgets neither. Written through to the system with each
 * line: a killed process loses nothing; a machine that loses power may lose the last moments.
 */
export interface Journal {
  begin(call: BegunCall): void
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

  function write(call: BegunCall, isSettled: boolean): void {
    if (sizeBytes > maxSegmentBytes) {
      closeSync(file)
      const full = current
      startSegment()
      removeWhenDone(full)
    }
    const id = call.entry.call_id
    sizeBytes += writeSync(file, `${isSettled ? 'S' : 'B'}${JSON.stringify(call)}\n`)
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
    begin: (call) => write(call, false),
    settle: (call) => write(call, true),
    forget(callIds) {
      for (const id of callIds) {
        const segment = segments.get(id)
        segments.delete(id)
        if (segment) leave(segment, id)
      }
    },
    close() {
      closeSync(file)
      removeWhenDone(current)
    },
  }
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
