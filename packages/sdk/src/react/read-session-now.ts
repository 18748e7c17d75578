import type { StreamEvent } from '../events/narrow-chat-event.ts'
import type { SessionHandle } from '../session/session-handle.ts'
import { isRecord } from '../wire/read-value.ts'

/**
 * Whether the session works, how it ended before and what it waits for, as the events that would have told. Read after
 * the messages and before their stream, so that whatever changes meanwhile is in the stream and comes later.
 */
export async function readSessionNow(session: SessionHandle): Promise<StreamEvent[]> {
  const [{ turns, last_ended: last }, { question, permissions }] = await Promise.all([
    session.turn(),
    session.question(),
  ])
  const isBusy = turns.length > 0
  return [
    isBusy ? { type: 'turn.started', properties: {} } : { type: 'turn.ended', properties: { ...last } },
    { type: 'session.status', properties: { status: { type: isBusy ? 'busy' : 'idle' } } },
    ...[question].filter(isRecord).map((properties) => ({ type: 'question.asked', properties })),
    ...(permissions ?? []).map((properties) => ({ type: 'permission.asked', properties })),
  ]
}
