import { readTable } from '../wire/read-table.ts'
import { dropUndefined, firstText, isRecord, toRecord, toText } from '../wire/read-value.ts'

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
 * The events of one session, and what becomes of each: the fields of the chat event, `=` the property a field is read
 * from when it has another name, `!` a text without which there is no event, `#` the same for an object.
 */
const SESSION_EVENTS = /* @__PURE__ */ readTable(`message.updated;message=info#
message.removed;messageID!
message.part.updated;part#
message.part.removed;messageID!;partID!
session.status;status
session.idle
session.error;error
todo.updated;todos
question.asked;requestID=id!;questions;tool
question.replied;requestID!;answers
question.rejected;requestID!
permission.asked;requestID=id!;permission;patterns;tool
permission.replied;requestID!;reply`)

/**
 * The chat event behind a stream event; null for everything a chat does not need.
 *
 * @example
 * narrowChatEvent({ type: 'session.idle', properties: { sessionID: 'ses_1' } })
 * // { type: 'session.idle', sessionID: 'ses_1' }
 */
export function narrowChatEvent(event: StreamEvent | null | undefined): ChatEvent | null {
  const { type: rawType, properties: rawProperties } = toRecord(event)
  const type = toText(rawType)
  const properties = toRecord(rawProperties)
  const sessionID = firstText(properties.sessionID)
  if (type === 'server.connected') return { type: 'connection', status: 'connected' }
  const row = SESSION_EVENTS.get(type)
  // An error may belong to no session.
  if (!row || !(sessionID || type === 'session.error')) return null
  const [, outcome] = /^question\.(re\w+)$/.exec(type) ?? []
  const narrowed: Record<string, unknown> = { type: outcome ? 'question.answered' : type, sessionID, outcome }
  for (const cell of row) {
    const [, name = '', source, check] = /^(\w+)=?(\w*)(\W?)$/.exec(cell) ?? []
    const value = properties[source || name]
    if (check && !(check === '!' ? firstText(value) : isRecord(value))) return null
    narrowed[name] = value
  }
  // The table gives the fields, the type says which event has which; the tests hold the two together.
  return dropUndefined(narrowed) as unknown as ChatEvent
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
