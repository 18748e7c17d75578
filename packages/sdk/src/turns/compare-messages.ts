import type { MessageLike } from '../wire/message-types.ts'
import { readFinite, toRecord, toText } from '../wire/read-value.ts'
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
  const id = toText(info.id)
  const createdMs = readFinite(toRecord(info.time).created)
  if (ORDERED_ID.test(id)) return { id, rank: 0, createdMs: 0 }
  return { id, rank: createdMs === undefined ? 2 : 1, createdMs: createdMs ?? 0 }
}

export function compareDisplayKeys(a: DisplayKey, b: DisplayKey): number {
  return a.rank - b.rank || a.createdMs - b.createdMs || (a.rank === 2 ? 0 : compareText(a.id, b.id))
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
  return Number(a > b) - Number(a < b)
}
