import type { RuntimeEvent } from '../../runtimes/index.ts'
import type { Running } from '../lifecycle/running.ts'
import type { Parts } from '../parts.ts'
import { endOpenTurn, noteForeignTurn } from '../prompts/turns.ts'
import type { Conversation } from '../schema.ts'
import { firstAnswerMs } from '../settings/at-work.ts'
import type { Document } from '../store/messages.ts'
import { addQuestion, resolveQuestion } from '../store/questions.ts'
import { findSession, noteSession } from '../store/sessions.ts'
import { type EndReason, findOpenTurn, type TurnRow } from '../store/turns.ts'

export interface TurnWatch {
  /** Whether an event may begin or end a turn; then everything before it is stored first. */
  isTurning(event: RuntimeEvent): boolean
  /** True when the session became idle by it. */
  note(event: RuntimeEvent): Promise<boolean>
  /** After a gap: whether the open turn ended meanwhile. True when it did; one that has just begun is not judged. */
  recheck(): Promise<boolean>
}

const acceptPauseMs = 10
const maxAcceptMs = 10_000

const isDocument = (value: unknown): value is Document => typeof value === 'object' && value !== null

/** Draws from the runtime's events what the platform itself keeps: turns, questions, the tree of conversations. */
export function createTurnWatch(parts: Parts, running: Running): TurnWatch {
  const { runtime, send, conversationId } = running
  const { sessionId } = running.row
  const { db } = parts.kernel.database
  /** User messages that were seen: an idle that comes before a turn's own message belongs to an earlier one. */
  const seen = new Set<string>()
  let lastUserMessage: string | undefined
  let reason: EndReason = 'completed'
  /** A runtime that gives up after its last try says so; one that just goes quiet between two tries was stopped. */
  let isBetweenTries = false

  async function end(): Promise<boolean> {
    const why = isBetweenTries && reason === 'completed' ? 'aborted' : reason
    reason = 'completed'
    isBetweenTries = false
    const open = await findAccepted()
    if (!open) return true
    if (open.messageId !== null && !seen.has(open.messageId)) return false
    const session = await findSession(db, sessionId)
    if (session) await endOpenTurn(parts, session, why, ({ turnToken }) => turnToken === open.turnToken)
    return true
  }

  /** A quick runtime may be done before its yes to the prompt was written down. */
  async function findAccepted(): Promise<TurnRow | undefined> {
    for (let waitedMs = 0; ; waitedMs += acceptPauseMs) {
      const open = await findOpenTurn(db, sessionId)
      const isOnItsWay = open?.state === 'delivering' && seen.has(open.messageId ?? '')
      if (!isOnItsWay || waitedMs >= maxAcceptMs) return open?.state === 'active' ? open : undefined
      await parts.kernel.clock.sleep(acceptPauseMs)
    }
  }

  async function begin(): Promise<void> {
    const session = await findSession(db, sessionId)
    if (!session || (await findOpenTurn(db, sessionId))) return
    await noteForeignTurn(parts, session, lastUserMessage)
  }

  return {
    isTurning: ({ type }) => type === 'session.idle' || type === 'session.status' || type === 'session.error',

    async note({ type, properties }) {
      if (/^(question|permission)\./.test(type)) await noteAsk(parts, sessionId, type, properties)
      if (/^session\.(created|updated|deleted)$/.test(type)) await noteConversation(parts, sessionId, type, properties)
      if (properties.sessionID !== conversationId) return false
      if (type === 'message.updated' && isDocument(properties.info) && properties.info.role === 'user') {
        lastUserMessage = String(properties.info.id)
        seen.add(lastUserMessage)
      }
      if (type === 'session.error' && isDocument(properties.error)) reason = reasonOf(properties.error)
      if (type === 'session.status' && isDocument(properties.status)) {
        const { type: state } = properties.status
        if (state !== 'idle') isBetweenTries = state === 'retry'
        if (state === 'busy') await begin()
      }
      return type === 'session.idle' ? end() : false
    },

    async recheck() {
      const open = await findOpenTurn(db, sessionId)
      if (open?.state !== 'active' || (await runtime.isBusy(send, conversationId))) return false
      const messages = await runtime.messages(send, conversationId)
      const ageMs = parts.kernel.clock.nowMs() - (open.acceptedAt ?? open.startedAt).getTime()
      if (ageMs < firstAnswerMs && !isAnswered(messages, open.messageId)) return false
      const how = judgeTurn(messages, open.messageId)
      const session = await findSession(db, sessionId)
      if (session) await endOpenTurn(parts, session, how, (turn) => turn.turnToken === open.turnToken)
      return true
    },
  }
}

/** How a turn that no longer runs ended, by the answers to its message. */
export function judgeTurn(messages: readonly { info: Document }[], messageId: string | null): EndReason {
  return judgeAnswer(messages.findLast(({ info }) => answers(info, messageId))?.info)
}

const isAnswered = (messages: readonly { info: Document }[], messageId: string | null) =>
  messages.some(({ info }) => answers(info, messageId))

const answers = (info: Document, messageId: string | null) => info.role === 'assistant' && info.parentID === messageId

/** A turn whose last answer was not finished when the runtime died is interrupted, never completed. */
export function judgeAnswer(info: Document | undefined): EndReason {
  if (!info) return 'interrupted'
  if (isDocument(info.error)) return reasonOf(info.error)
  const isComplete = isDocument(info.time) && info.time.completed !== undefined
  return isComplete && info.finish !== undefined && info.finish !== 'tool-calls' ? 'completed' : 'interrupted'
}

function reasonOf(error: Document): EndReason {
  return error.name === 'MessageAbortedError' ? 'aborted' : 'failed'
}

async function noteAsk({ kernel }: Parts, sessionId: string, type: string, properties: Document): Promise<void> {
  const { db } = kernel.database
  if (type.endsWith('.asked')) {
    const kind = type === 'permission.asked' ? 'permission' : 'question'
    return addQuestion(db, { sessionId, requestId: String(properties.id), kind, data: JSON.stringify(properties) })
  }
  const state = type.endsWith('.replied') ? 'answered' : 'rejected'
  await resolveQuestion(db, sessionId, String(properties.requestID), state, kernel.clock.now())
}

/** The tree of conversations as last told, at most this many. */
const maxConversations = 200

async function noteConversation({ kernel }: Parts, sessionId: string, type: string, { info }: Document): Promise<void> {
  if (!isDocument(info) || typeof info.id !== 'string') return
  const session = await findSession(kernel.database.db, sessionId)
  if (!session) return
  const others = session.conversations.filter(({ id }) => id !== info.id)
  const kept = type === 'session.deleted' ? others : [...others, toConversation(info)]
  const before = session.conversations.find(({ id }) => id === info.id)
  const isSame = before !== undefined && type !== 'session.deleted' && before.title === info.title
  if (isSame) return
  await noteSession(kernel.database.db, sessionId, { conversations: kept.slice(-maxConversations) })
}

function toConversation(info: Document): Conversation {
  const text = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '') : null)
  const time = isDocument(info.time) ? info.time : {}
  const number = (value: unknown) => (typeof value === 'number' ? value : null)
  return {
    id: String(info.id),
    title: text(info.title),
    parent_id: text(info.parentID),
    project_id: text(info.projectID),
    created_at: number(time.created),
    updated_at: number(time.updated),
    archived_at: number(time.archived),
  }
}
