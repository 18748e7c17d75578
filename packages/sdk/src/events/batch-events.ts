import { toText } from '../wire/read-value.ts'
import type { StreamEvent } from './narrow-chat-event.ts'

/** How long events are collected before they are delivered together: one frame of a screen. */
export const BATCH_MS = 16

/** Collects events between two deliveries. */
export interface EventBatch {
  add(event: StreamEvent): void
  /** The collected events in order; the batch is empty afterwards. */
  take(): StreamEvent[]
}

/**
 * Collects events in order. Of the `session.status` events of one session, and of `lsp.updated`, only the last one of a
 * batch is kept; nothing else is ever dropped.
 */
export function createEventBatch(): EventBatch {
  let events: (StreamEvent | undefined)[] = []
  let places = new Map<string, number>()
  return {
    add(event) {
      const key = readKey(event)
      if (key !== undefined) {
        const earlier = places.get(key)
        if (earlier !== undefined) events[earlier] = undefined
        places.set(key, events.length)
      }
      events.push(event)
    },
    take() {
      const taken = events.filter((event) => event !== undefined)
      events = []
      places = new Map()
      return taken
    },
  }
}

function readKey({ type, properties }: StreamEvent): string | undefined {
  if (type === 'session.status') return `session:${toText(properties.sessionID)}`
  return type === 'lsp.updated' ? type : undefined
}
