import type { LoggedEvent } from '../store/log.ts'
import type { Document, MessageChanges } from '../store/messages.ts'

const isDocument = (value: unknown): value is Document => typeof value === 'object' && value !== null

/** Texts that arrive in pieces: the parts that must be known before the pieces can be put to them. */
export function listTouchedParts(events: readonly LoggedEvent[]): { messageId: string; partId: string }[] {
  return events.flatMap(({ type, properties }) =>
    type === 'message.part.delta'
      ? [{ messageId: String(properties.messageID), partId: String(properties.partID) }]
      : [],
  )
}

/** What events in their order make of messages and parts. Pure: the same events always give the same changes. */
export function applyEvents(events: readonly LoggedEvent[], known: ReadonlyMap<string, Document>): MessageChanges {
  const messages = new Map<string, Document | null>()
  const parts = new Map<string, Document | null>()
  for (const { type, properties } of events) {
    if (type === 'message.updated' && isDocument(properties.info)) {
      messages.set(String(properties.info.id), properties.info)
    }
    if (type === 'message.removed') {
      const messageId = String(properties.messageID)
      messages.set(messageId, null)
      for (const key of parts.keys()) if (key.startsWith(`${messageId}/`)) parts.delete(key)
    }
    if (type === 'message.part.updated' && isDocument(properties.part)) {
      const { part } = properties
      parts.set(`${part.messageID}/${part.id}`, part)
    }
    if (type === 'message.part.removed') parts.set(`${properties.messageID}/${properties.partID}`, null)
    if (type === 'message.part.delta') appendPiece(parts, known, properties)
  }
  return { messages, parts }
}

function appendPiece(
  parts: Map<string, Document | null>,
  known: ReadonlyMap<string, Document>,
  properties: Document,
): void {
  const { messageID, partID, sessionID, field, delta } = properties
  const key = `${messageID}/${partID}`
  if (typeof field !== 'string' || typeof delta !== 'string') return
  const before = (parts.has(key) ? parts.get(key) : known.get(key)) ?? {
    id: partID,
    messageID,
    sessionID,
    type: 'text',
  }
  const text = before[field]
  parts.set(key, { ...before, [field]: `${typeof text === 'string' ? text : ''}${delta}` })
}
