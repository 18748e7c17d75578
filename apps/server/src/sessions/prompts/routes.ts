import type { operations } from '@svc/contract'
import { systemActor } from '../../kernel/actor.ts'
import { answer, type Call, problem } from '../../kernel/http/index.ts'
import { openSession } from '../access.ts'
import { requireAgent } from '../create/require-agent.ts'
import { sessionPrompted } from '../events.ts'
import { requestBoot } from '../lifecycle/claim-boot.ts'
import type { Parts } from '../parts.ts'
import {
  changePrompt,
  countWaiting,
  findByClientId,
  listWaiting,
  lockPrompt,
  moveToFront,
  type PromptRow,
} from '../store/prompts.ts'
import { lockSession, noteSession } from '../store/sessions.ts'
import { findLastEnded, findOpenTurn } from '../store/turns.ts'
import { queuePrompt } from './add-prompt.ts'

type Ops = typeof operations.sessions

const maxWaiting = 200

/** Stored before it is answered for; delivered once, in its turn. A parked session wakes for it. */
export async function sendPrompt(parts: Parts, call: Call<Ops['sendPrompt']>) {
  const { row } = await openSession(parts, call)
  const { body } = call
  const { db } = parts.kernel.database
  const known = await findByClientId(db, row.sessionId, body.client_message_id)
  if (known) return answer(describeSent(known, true), { status: 200 })
  const agent = await requireAgent(parts, call, row, body.overrides?.agent)

  const added = await parts.kernel.database.transact(call.actor, async (tx) => {
    const session = await lockSession(tx.db, row.sessionId)
    if (!session || session.deletedAt !== null) throw problem('session_deleted')
    if ((await countWaiting(tx.db, row.sessionId)) >= maxWaiting) throw problem('prompt_queue_full')
    const prompt = await queuePrompt(tx, session, {
      clientMessageId: body.client_message_id,
      messageId: body.message_id,
      parts: body.parts,
      overrides: body.overrides && { ...body.overrides, agent },
      clientSentAtMs: body.client_sent_at_ms,
      remint: body.remint_on_delivery,
      sentBy: call.principal.id || undefined,
    })
    if (!prompt) return undefined
    await tx.audit({
      action: 'session.prompt',
      sessionId: row.sessionId,
      resourceType: 'session',
      resourceId: row.sessionId,
      messageId: prompt.messageId,
      metadata: { prompt_id: prompt.promptId, part_count: body.parts.length },
    })
    return prompt
  })
  const prompt = added ?? (await findByClientId(db, row.sessionId, body.client_message_id))
  if (!prompt) throw problem('session_deleted')
  await rouse(parts, row.sessionId)
  return answer(describeSent(prompt, added === undefined), { status: added ? 202 : 200 })
}

/** Delivered at once when it runs, after its boot when it is parked. */
export async function rouse(parts: Parts, sessionId: string): Promise<void> {
  await requestBoot(parts, sessionId)
  parts.live.wake(sessionId)
  if (parts.live.find(sessionId)) return
  // Another server may have its machine.
  await parts.kernel.database.transact(systemActor, (tx) =>
    tx.publish(sessionPrompted.event({ session_id: sessionId })),
  )
}

const describeSent = ({ promptId, state, messageId }: PromptRow, deduped: boolean) => ({
  prompt_id: promptId,
  state,
  message_id: messageId,
  deduped,
})

export async function listPrompts(parts: Parts, call: Call<Ops['listPrompts']>) {
  const { row } = await openSession(parts, call)
  const { db } = parts.kernel.database
  const [prompts, turn] = await Promise.all([listWaiting(db, row.sessionId), findOpenTurn(db, row.sessionId)])
  return {
    prompts: prompts.map((prompt, index) => {
      const isBehind = turn !== undefined || prompts.slice(0, index).some(({ state }) => state !== 'failed')
      return describePrompt(prompt, { isHeld: row.queueHeld, isBehind })
    }),
  }
}

interface Queue {
  readonly isHeld: boolean
  readonly isBehind: boolean
}

function describePrompt(prompt: PromptRow, queue: Queue) {
  return {
    prompt_id: prompt.promptId,
    client_message_id: prompt.clientMessageId,
    message_id: prompt.messageId,
    wire_message_id: prompt.wireMessageId,
    client_sent_at_ms: prompt.clientSentAtMs,
    ...stateOf(prompt, queue),
    text: prompt.preview,
    attempts: prompt.attempts,
    last_error: prompt.lastError,
    created_at: prompt.createdAt.toISOString(),
    available_at: prompt.availableAt.toISOString(),
  }
}

function stateOf({ state }: PromptRow, { isHeld, isBehind }: Queue) {
  if (state === 'delivering') return { state, reason: 'forwarded' as const }
  if (state === 'failed') return { state, reason: null }
  if (isHeld) return { state: 'waiting' as const, reason: 'held' as const }
  if (isBehind) return { state: 'waiting' as const, reason: 'older_prompt_pending' as const }
  return { state: 'queued' as const, reason: null }
}

export async function cancelPrompt(parts: Parts, call: Call<Ops['cancelPrompt']>) {
  const { row } = await openSession(parts, call)
  return parts.kernel.database.transact(call.actor, async (tx) => {
    const prompt = await lockPrompt(tx.db, row.sessionId, call.params.promptId)
    if (!prompt || prompt.state === 'cancelled') return { removed: false, prompt: null }
    if (prompt.state === 'delivering' || prompt.state === 'delivered') throw problem('prompt_being_answered')
    await changePrompt(tx.db, prompt.promptId, { state: 'cancelled' })
    await tx.audit({
      action: 'session.prompt_cancel',
      sessionId: row.sessionId,
      resourceType: 'session',
      resourceId: row.sessionId,
      messageId: prompt.messageId,
    })
    const parsed = {
      parts: JSON.parse(prompt.parts),
      overrides: prompt.overrides ? JSON.parse(prompt.overrides) : null,
    }
    return {
      removed: true,
      prompt: { ...describePrompt(prompt, { isHeld: row.queueHeld, isBehind: false }), ...parsed },
    }
  })
}

export async function retryPrompt(parts: Parts, call: Call<Ops['retryPrompt']>) {
  const { row } = await openSession(parts, call)
  const prompt = await parts.kernel.database.transact(call.actor, async (tx) => {
    const found = await lockPrompt(tx.db, row.sessionId, call.params.promptId)
    if (!found || found.state === 'cancelled') throw problem('not_found', { say: 'There is no such prompt.' })
    if (found.state === 'delivering' || found.state === 'delivered') throw problem('prompt_being_answered')
    await noteSession(tx.db, row.sessionId, { queueHeld: false })
    await tx.audit({
      action: 'session.prompt_retry',
      sessionId: row.sessionId,
      resourceType: 'session',
      resourceId: row.sessionId,
      messageId: found.messageId,
    })
    await changePrompt(tx.db, found.promptId, { attempts: 0, availableAt: parts.kernel.clock.now() })
    return (await moveToFront(tx.db, row.sessionId, found.promptId)) ?? found
  })
  await rouse(parts, row.sessionId)
  return { prompt: describePrompt(prompt, { isHeld: false, isBehind: false }) }
}

export async function holdPrompts(parts: Parts, call: Call<Ops['holdPrompts']>) {
  const { row } = await openSession(parts, call)
  const { held } = call.body
  await parts.kernel.database.transact(call.actor, async (tx) => {
    await noteSession(tx.db, row.sessionId, { queueHeld: held })
    await tx.audit({
      action: 'session.prompt_hold',
      sessionId: row.sessionId,
      resourceType: 'session',
      resourceId: row.sessionId,
      metadata: { held },
    })
  })
  if (!held) parts.live.deliver(row.sessionId)
  return { held }
}

export async function readTurn(parts: Parts, call: Call<Ops['turn']>) {
  const { row } = await openSession(parts, call)
  const { db } = parts.kernel.database
  const [open, last] = await Promise.all([findOpenTurn(db, row.sessionId), findLastEnded(db, row.sessionId)])
  return {
    turns:
      open && open.state !== 'ended'
        ? [
            {
              turn_token: open.turnToken,
              state: open.state,
              message_id: open.messageId,
              opencode_session_id: open.conversationId,
              started_at: open.startedAt.toISOString(),
              accepted_at: open.acceptedAt?.toISOString() ?? null,
            },
          ]
        : [],
    ...(last
      ? {
          last_ended: {
            turn_token: last.turnToken,
            end_reason: last.endReason,
            ended_at: last.endedAt?.toISOString() ?? null,
          },
        }
      : {}),
  }
}
