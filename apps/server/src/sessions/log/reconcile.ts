import { isDeepStrictEqual } from 'node:util'
import type { RuntimeEvent } from '../../runtimes/index.ts'
import type { Running } from '../lifecycle/running.ts'
import type { Parts } from '../parts.ts'
import { type Document, listMessages, type StoredMessage } from '../store/messages.ts'
import { listAskIds } from '../store/questions.ts'
import { storeMessages } from './store-messages.ts'

const maxMessages = 500

/** Events that bring what is stored to what the runtime has now. What a killed runtime forgot stays as it was. */
export async function reconcile(parts: Parts, running: Running): Promise<RuntimeEvent[]> {
  const { row, runtime, send, conversationId } = running
  const { sessionId } = row
  const current = await runtime.messages(send, conversationId)
  const { questions, permissions } = await runtime.listAsks(send)
  const asked = [
    ...questions.map((properties) => ({ type: 'question.asked', properties })),
    ...permissions.map((properties) => ({ type: 'permission.asked', properties })),
  ]
  if (current.length === 0) return asked
  await storeMessages(parts, sessionId)
  const page = { conversationId, limit: maxMessages, before: undefined }
  const stored = await listMessages(parts.kernel.database.db, sessionId, page)
  const known = await listAskIds(parts.kernel.database.db, sessionId)
  return [
    ...listDifferences(current.slice(-maxMessages), stored),
    ...asked.filter(({ properties }) => !known.includes(String(properties.id))),
  ]
}

export function listDifferences(
  current: readonly { info: Document; parts: readonly Document[] }[],
  stored: readonly StoredMessage[],
): RuntimeEvent[] {
  const known = new Map(stored.map((message) => [String(message.info.id), message]))
  return current.flatMap(({ info, parts }) => {
    const before = known.get(String(info.id))
    const sessionID = info.sessionID
    const events: RuntimeEvent[] = []
    if (!before || !isDeepStrictEqual(before.info, info)) {
      events.push({ type: 'message.updated', properties: { sessionID, info } })
    }
    const knownParts = new Map(before?.parts.map((part) => [String(part.id), part]))
    for (const part of parts) {
      const old = knownParts.get(String(part.id))
      if (old && (isDeepStrictEqual(old, part) || holdsMore(old, part))) continue
      events.push({ type: 'message.part.updated', properties: { sessionID, part } })
    }
    return events
  })
}

/** A text that the runtime had only begun to keep when it died: ours goes on where its own ends. */
function holdsMore(ours: Document, theirs: Document): boolean {
  const [long, short] = [ours.text, theirs.text]
  return typeof long === 'string' && typeof short === 'string' && long.length > short.length && long.startsWith(short)
}
