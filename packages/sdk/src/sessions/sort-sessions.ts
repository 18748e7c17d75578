import { compareText } from '../turns/compare-messages.ts'
import { readFinite, toRecord, toText } from '../wire/read-value.ts'

/** The least a session row must have to be sorted. */
export interface SessionRow {
  readonly id: string
  readonly time: { readonly created: number; readonly updated?: number }
}

const RECENT_MS = 60_000

/**
 * Compares session rows: those updated within the last minute come first and keep a fixed order by id, so that a busy
 * list does not jump; the others follow, newest first.
 *
 * @example
 * rows.sort(sortSessions(Date.now()))
 */
export function sortSessions(nowMs: number): (a: SessionRow, b: SessionRow) => number {
  const recentAfter = (readFinite(nowMs) ?? 0) - RECENT_MS
  return (a, b) => {
    const stampA = readStamp(a)
    const stampB = readStamp(b)
    const isRecentA = stampA > recentAfter
    if (isRecentA !== stampB > recentAfter) return isRecentA ? -1 : 1
    return isRecentA ? compareText(toText(toRecord(a).id), toText(toRecord(b).id)) : stampB - stampA
  }
}

function readStamp(row: unknown): number {
  const { created, updated } = toRecord(toRecord(row).time)
  return readFinite(updated) || readFinite(created) || 0
}
