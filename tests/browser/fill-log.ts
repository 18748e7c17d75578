import type { Database } from '../../apps/server/src/kernel/database/index.ts'
import { appendEvents } from '../../apps/server/src/sessions/store/log.ts'

interface Filling {
  readonly sessionId: string
  readonly conversationId: string
  /** Numbers of the first and of the last message. */
  readonly from: number
  readonly to: number
}

const perBatch = 500

/** Puts messages into a session's log, as the runtime would have told them, older than everything it really said. */
export async function fillLog(db: Database['db'], { sessionId, conversationId, from, to }: Filling): Promise<void> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  for (let at = 0; at < numbers.length; at += perBatch) {
    const events = numbers.slice(at, at + perBatch).flatMap((number) => tell(conversationId, number))
    await appendEvents(db, sessionId, events)
  }
}

function tell(sessionID: string, number: number) {
  const id = `msg_${number.toString(16).padStart(12, '0')}aaaaaaaaaaaaaa`
  const info = { id, sessionID, role: number % 2 === 1 ? 'user' : 'assistant', time: { created: number } }
  const lines = Array.from({ length: 1 + (number % 5) }, (_, line) => `Line ${line} of **message ${number}**.`)
  const part = { id: `prt_${number}`, messageID: id, sessionID, type: 'text', text: lines.join('\n\n') }
  return [
    { type: 'message.updated', properties: { sessionID, info } },
    { type: 'message.part.updated', properties: { sessionID, part } },
  ]
}
