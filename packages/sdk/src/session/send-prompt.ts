import { ApiError } from '../errors/api-error.ts'
import type { AssistantMessage } from '../runtime/runtime-calls.ts'
import { generateSessionId, toHex } from '../sessions/generate-session-id.ts'
import { toRecord } from '../wire/read-value.ts'
import type { SessionHandle } from './session-handle.ts'

type PromptedSession = Pick<SessionHandle, 'stream' | 'storedMessages' | 'prompts' | 'turn'>

let lastStamp = 0

/** A message id in the runtime's own form: later ones sort after earlier ones. */
export function createMessageId(): string {
  lastStamp = Math.max(lastStamp + 1, Date.now() * 4096)
  const random = generateSessionId().replaceAll('-', '')
  return `msg_${toHex([lastStamp % 2 ** 48], 12)}${random.slice(-14)}`
}

/**
 * Submits a prompt and waits on the session's log until its turn has ended, however long that takes. The log is read
 * from where it stood before, so the end cannot pass unseen; every heartbeat asks whether the turn is gone without one.
 */
export async function runPrompt(
  session: PromptedSession,
  conversationId: string,
  messageId: string,
  submit: () => Promise<unknown>,
): Promise<AssistantMessage> {
  const { seq } = await session.storedMessages({ limit: 1 })
  const stop = new AbortController()
  try {
    return await new Promise<AssistantMessage>((resolve, reject) => {
      let isOurs = false
      const settle = (find: Promise<AssistantMessage | undefined>): void => {
        find.then((answer) => answer && resolve(answer)).catch((error) => isRefusal(error) && reject(error))
      }
      session.stream({
        after: seq,
        signal: stop.signal,
        onEvent({ type, properties }) {
          const info = toRecord(properties.info)
          isOurs ||= info.id === messageId || info.parentID === messageId
          const isIdle = type === 'session.idle' || toRecord(properties.status).type === 'idle'
          if (isOurs && properties.sessionID === conversationId && isIdle) settle(findAnswer(session, messageId))
          if (type === 'heartbeat') settle(findOutcome(session, messageId))
        },
        onGapRehydrate: () => settle(findOutcome(session, messageId)),
        onParked: ({ lastError: cause }) =>
          reject(new ApiError('The event stream ended before the turn.', { code: 'RUNTIME_UNAVAILABLE', cause })),
      })
      submit().catch(reject)
    })
  } finally {
    stop.abort()
  }
}

/** The answer of a turn that is over, an error for a prompt that was not delivered, else undefined. */
async function findOutcome(session: PromptedSession, messageId: string): Promise<AssistantMessage | undefined> {
  const queue = await session.prompts.list()
  const waiting = queue.prompts.find((prompt) => prompt.message_id === messageId)
  if (waiting?.state === 'failed') {
    throw new ApiError(waiting.last_error ?? 'The prompt was not delivered.', {
      status: 409,
      code: 'PROMPT_FAILED',
    })
  }
  const { turns } = await session.turn()
  return waiting || turns.length > 0 ? undefined : findAnswer(session, messageId)
}

async function findAnswer(session: PromptedSession, messageId: string): Promise<AssistantMessage | undefined> {
  const { messages } = await session.storedMessages({ limit: 100 })
  const answer = messages.reverse().find(({ info }) => info.parentID === messageId)
  // The service stores what the runtime said; the shape is the runtime's.
  return answer as unknown as AssistantMessage | undefined
}

/** Asking again is no use; anything else passes, and the next event asks again. */
function isRefusal(error: unknown): boolean {
  return /^(?!408|429|5)\d/.test(`${toRecord(error).status}`)
}
