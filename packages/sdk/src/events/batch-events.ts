import { toText } from '../wire/read-value.ts'
import type { StreamEvent } from './narrow-chat-event.ts'

/** How long events are collected before they are delivered together: one frame of a screen. */
export const BATCH_MS = 16

/**
 * Adds an event to those that are delivered together, in order. Of the `session.status` events of one session, and of
 * `lsp.updated`, only the last one is kept; nothing else is ever dropped.
 */
export function addToBatch(batch: Map<unknown, StreamEvent>, event: StreamEvent): void {
  const { type, properties } = event
  const session = type === 'session.status' ? toText(properties.sessionID) : ''
  const key = /^(session\.status|lsp\.updated)$/.test(type) ? type + session : event
  batch.delete(key)
  batch.set(key, event)
}
