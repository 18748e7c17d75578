import type { operations, ResultOf } from '@svc/contract'
import type { Call } from '../../kernel/http/index.ts'
import { openSession } from '../access.ts'
import type { Parts } from '../parts.ts'
import { countMessages, type Document, listMessages, type StoredMessage } from '../store/messages.ts'
import type { SessionRow } from '../store/sessions.ts'
import { storeMessages } from './store-messages.ts'

type Ops = typeof operations.sessions
type Transcript = ResultOf<Ops['transcript']>

export async function readMessages(parts: Parts, call: Call<Ops['messages']>) {
  const { row } = await openSession(parts, call)
  const { limit = 100, before } = call.query
  const seq = await storeMessages(parts, row.sessionId)
  const conversationId = row.conversationId ?? ''
  const messages = await listMessages(parts.kernel.database.db, row.sessionId, { conversationId, limit, before })
  return {
    opencode_session_id: row.conversationId,
    seq,
    messages: messages.map(({ info, parts }) => ({ info: { ...info }, parts: parts.map((part) => ({ ...part })) })),
  }
}

export async function readTranscript(parts: Parts, call: Call<Ops['transcript']>) {
  const { row } = await openSession(parts, call)
  return describeTranscript(parts, row, call.query)
}

/** From what is stored: it needs no machine. */
export async function describeTranscript(
  parts: Parts,
  row: SessionRow,
  { limit = 40, chars = 700 }: { limit?: number | undefined; chars?: number | undefined },
): Promise<Transcript> {
  const { sessionId, conversationId } = row
  await storeMessages(parts, sessionId)
  if (conversationId === null) {
    return { available: false, reason: 'not_started', opencode_session_id: null, message_count: 0, messages: [] }
  }
  const { db } = parts.kernel.database
  const [messages, count] = await Promise.all([
    listMessages(db, sessionId, { conversationId, limit, before: undefined }),
    countMessages(db, sessionId, conversationId),
  ])
  return {
    available: true,
    reason: null,
    opencode_session_id: conversationId,
    message_count: count,
    messages: messages.map((message) => shorten(message, chars)),
  }
}

function shorten({ info, parts }: StoredMessage, chars: number): Transcript['messages'][number] {
  const of = (type: string) => parts.filter((part) => part.type === type)
  const text = of('text')
    .filter(({ synthetic, ignored }) => synthetic !== true && ignored !== true)
    .map((part) => String(part.text ?? ''))
    .join('\n')
  const time = asDocument(info.time)
  return {
    role: String(info.role),
    created: asNumber(time.created),
    completed: asNumber(time.completed),
    text: [...text].length > chars ? `${[...text].slice(0, chars - 1).join('')}…` : text,
    tools: of('tool').map((part) => ({ tool: String(part.tool), status: asText(asDocument(part.state).status) })),
    files: of('file').map((part) => ({ filename: asText(part.filename), mime: asText(part.mime) })),
    reasoning_omitted: of('reasoning').length > 0,
    error: describeError(info.error),
  }
}

function describeError(value: unknown) {
  if (typeof value !== 'object' || value === null) return null
  const { name, data } = asDocument(value)
  const message = asText(asDocument(data).message)
  return { ...(typeof name === 'string' ? { name } : {}), ...(message === null ? {} : { message }) }
}

const asDocument = (value: unknown): Document => (typeof value === 'object' && value !== null ? { ...value } : {})
const asNumber = (value: unknown) => (typeof value === 'number' ? value : null)
const asText = (value: unknown) => (typeof value === 'string' ? value : null)
