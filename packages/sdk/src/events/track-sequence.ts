import { readSequence } from './decode-event.ts'
import type { StreamEvent } from './narrow-chat-event.ts'

/** What to do with the next event of a numbered stream. */
export type SequenceVerdict =
  /** New and next in line, or without a number. */
  | 'deliver'
  /** Seen before. */
  | 'drop'
  /** A number is missing: ask again from the last good one. */
  | 'gap'
  /** The log no longer reaches back: the host has to reload. */
  | 'reset'

/** Proves that a numbered stream misses nothing. */
export interface SequenceTracker {
  check(event: StreamEvent): SequenceVerdict
  /** The last number delivered; what a reconnect resumes after. */
  lastSeq(): number | undefined
}

/**
 * Follows the numbers of a session's log. A repeated number is dropped, a skipped one is a gap, and so is a heartbeat
 * whose `latest` has not arrived by the time of the next heartbeat.
 */
export function createSequenceTracker(after?: number): SequenceTracker {
  let last = after
  let promised: number | undefined
  return {
    lastSeq: () => last,
    check({ type, properties, seq }) {
      if (type === 'stream.reset') {
        const oldest = readSequence(properties.oldest)
        last = oldest && oldest - 1
        promised = undefined
        return 'reset'
      }
      if (type === 'heartbeat') {
        const isStalled = last !== undefined && promised !== undefined && last < promised
        promised = isStalled ? undefined : readSequence(properties.latest)
        return isStalled ? 'gap' : 'deliver'
      }
      if (seq === undefined) return 'deliver'
      if (last !== undefined && seq <= last) return 'drop'
      if (last !== undefined && seq > last + 1) return 'gap'
      last = seq
      return 'deliver'
    },
  }
}
