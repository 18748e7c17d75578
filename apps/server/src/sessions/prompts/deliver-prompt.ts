import { createHash } from 'node:crypto'
import { systemActor } from '../../kernel/actor.ts'
import type { Parts } from '../parts.ts'
import { lockSession } from '../store/sessions.ts'
import { queuePrompt } from './add-prompt.ts'
import { mintMessageId } from './message-id.ts'
import { rouse } from './routes.ts'

/** The same text for the same reason is delivered once. */
export async function deliverPrompt(parts: Parts, sessionId: string, text: string, origin: string): Promise<boolean> {
  const { kernel } = parts
  const isQueued = await kernel.database.transact(systemActor, async (tx) => {
    const session = await lockSession(tx.db, sessionId)
    if (!session || session.deletedAt !== null) return false
    await queuePrompt(tx, session, {
      clientMessageId: `${origin}:${createHash('sha256').update(text).digest('hex').slice(0, 32)}`.slice(0, 128),
      messageId: mintMessageId(kernel.clock.nowMs()),
      parts: [{ type: 'text', text }],
      remint: true,
      origin,
    })
    await tx.audit({
      action: 'session.prompt',
      accountId: session.accountId,
      projectId: session.projectId,
      sessionId,
      resourceType: 'session',
      resourceId: sessionId,
      metadata: { origin },
    })
    return true
  })
  if (isQueued) await rouse(parts, sessionId)
  return isQueued
}
