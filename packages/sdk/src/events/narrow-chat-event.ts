import { firstText, isRecord, toRecord } from '../wire/read-value.ts'

/** An event as the stream delivers it. `seq` is there on a numbered stream. */
export interface StreamEvent {
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly id?: string
  readonly seq?: number
}

/** The events a chat needs, with one shape each. Payloads are as the runtime sent them. */
export type ChatEvent =
  | { readonly type: 'message.updated'; readonly sessionID: string; readonly message: unknown }
  | { readonly type: 'message.removed'; readonly sessionID: string; readonly messageID: string }
  | { readonly type: 'message.part.updated'; readonly sessionID: string; readonly part: unknown }
  | {
      readonly type: 'message.part.removed'
      readonly sessionID: string
      readonly messageID: string
      readonly partID: string
    }
  | { readonly type: 'session.status'; readonly sessionID: string; readonly status: unknown }
  | { readonly type: 'session.idle'; readonly sessionID: string }
  | { readonly type: 'session.error'; readonly sessionID?: string; readonly error?: unknown }
  | {
      readonly type: 'question.asked'
      readonly sessionID: string
      readonly requestID: string
      readonly questions: unknown
      readonly tool?: unknown
    }
  | {
      readonly type: 'question.answered'
      readonly sessionID: string
      readonly requestID: string
      readonly outcome: 'replied' | 'rejected'
      readonly answers?: unknown
    }
  | {
      readonly type: 'permission.asked'
      readonly sessionID: string
      readonly requestID: string
      readonly permission: unknown
      readonly patterns: unknown
      readonly tool?: unknown
    }
  | {
      readonly type: 'permission.replied'
      readonly sessionID: string
      readonly requestID: string
      readonly reply: unknown
    }
  | { readonly type: 'todo.updated'; readonly sessionID: string; readonly todos: unknown }
  | { readonly type: 'connection'; readonly status: 'connected' }
  | HeartbeatGapEvent

/** Tells a chat that the stream was silent for so long that it should reload. */
export interface HeartbeatGapEvent {
  readonly type: 'heartbeat-gap'
  readonly gapMs: number
}

/**
 * The chat event behind a stream event; null for everything a chat does not need.
 *
 * @example
 * narrowChatEvent({ type: 'session.idle', properties: { sessionID: 'ses_1' } })
 * // { type: 'session.idle', sessionID: 'ses_1' }
 */
export function narrowChatEvent(event: StreamEvent | null | undefined): ChatEvent | null {
  const { type, properties: rawProperties } = toRecord(event)
  const properties = toRecord(rawProperties)
  if (type === 'server.connected') return { type: 'connection', status: 'connected' }
  const sessionID = firstText(properties.sessionID)
  if (type === 'session.error') return narrowSessionError(sessionID, properties.error)
  return sessionID === undefined ? null : narrowSessionEvent(type, sessionID, properties)
}

/**
 * The event that stands for a silent stretch of the stream.
 *
 * @example
 * openEventStream({ client, onEvent, onGapRehydrate: (gapMs) => dispatch(heartbeatGapEvent(gapMs)) })
 */
export function heartbeatGapEvent(gapMs: number): HeartbeatGapEvent {
  return { type: 'heartbeat-gap', gapMs }
}

function narrowSessionError(sessionID: string | undefined, error: unknown): ChatEvent {
  return {
    type: 'session.error',
    ...(sessionID !== undefined && { sessionID }),
    ...(error !== undefined && { error }),
  }
}

function narrowSessionEvent(type: unknown, sessionID: string, properties: Record<string, unknown>): ChatEvent | null {
  const messageID = firstText(properties.messageID)
  switch (type) {
    case 'message.updated':
      return isRecord(properties.info) ? { type, sessionID, message: properties.info } : null
    case 'message.removed':
      return messageID === undefined ? null : { type, sessionID, messageID }
    case 'message.part.updated':
      return isRecord(properties.part) ? { type, sessionID, part: properties.part } : null
    case 'message.part.removed': {
      const partID = firstText(properties.partID)
      return messageID === undefined || partID === undefined ? null : { type, sessionID, messageID, partID }
    }
    case 'session.status':
      return { type, sessionID, status: properties.status }
    case 'session.idle':
      return { type, sessionID }
    case 'todo.updated':
      return { type, sessionID, todos: properties.todos }
    default:
      return narrowRequestEvent(type, sessionID, properties)
  }
}

function narrowRequestEvent(type: unknown, sessionID: string, properties: Record<string, unknown>): ChatEvent | null {
  const { questions, permission, patterns, answers, reply, tool } = properties
  const isAsked = type === 'question.asked' || type === 'permission.asked'
  const requestID = firstText(isAsked ? properties.id : properties.requestID)
  if (requestID === undefined) return null
  const about = tool === undefined ? {} : { tool }
  switch (type) {
    case 'question.asked':
      return { type, sessionID, requestID, questions, ...about }
    case 'question.replied': {
      const given = answers === undefined ? {} : { answers }
      return { type: 'question.answered', sessionID, requestID, outcome: 'replied', ...given }
    }
    case 'question.rejected':
      return { type: 'question.answered', sessionID, requestID, outcome: 'rejected' }
    case 'permission.asked':
      return { type, sessionID, requestID, permission, patterns, ...about }
    case 'permission.replied':
      return { type, sessionID, requestID, reply }
    default:
      return null
  }
}
