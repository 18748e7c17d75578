import type { MessageLike } from '../wire/message-types.ts'
import { readFinite, readString, toRecord } from '../wire/read-value.ts'
import { readInfo } from './read-message.ts'

/** What decides where a message stands. Read once per message, so that sorting stays cheap. */
export interface DisplayKey {
  readonly id: string
  /** 0: the id itself is ordered by time; 1: ordered by its time stamp; 2: neither, keeps its place. */
  readonly rank: 0 | 1 | 2
  readonly createdMs: number
}

const ORDERED_ID = /^msg_[0-9a-f]{12}/

export function readDisplayKey(message: unknown): DisplayKey {
  const info = readInfo(message)
  const id = readString(info.id) ?? ''
  if (ORDERED_ID.test(id)) return { id, rank: 0, createdMs: 0 }
  const createdMs = readFinite(toRecord(info.time).created)
  return createdMs === undefined ? { id, rank: 2, createdMs: 0 } : { id, rank: 1, createdMs }
}

export function compareDisplayKeys(a: DisplayKey, b: DisplayKey): number {
  if (a.rank !== b.rank) return a.rank - b.rank
  if (a.rank === 2) return 0
  return a.createdMs - b.createdMs || compareText(a.id, b.id)
}

/**
 * Orders messages for display. Ids of the form `msg_<12 hex digits>…` come first, by id; the others follow by creation
 * time, those without a time last and in the order they came.
 *
 * @example
 * const ordered = [...messages].sort(compareMessagesForDisplay)
 */
export function compareMessagesForDisplay<M extends MessageLike>(a: M, b: M): number {
  return compareDisplayKeys(readDisplayKey(a), readDisplayKey(b))
}

/** Compares by code unit, the same on every machine and in every language. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
