import { systemActor } from '../../kernel/actor.ts'
import { Problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { sayError } from '../../kernel/log/index.ts'
import { RuntimeRequestError } from '../../runtimes/index.ts'
import { splitModel } from '../create/choose-model.ts'
import type { Running } from '../lifecycle/running.ts'
import { storeMessages } from '../log/store-messages.ts'
import { judgeTurn } from '../log/watch-turn.ts'
import type { Parts } from '../parts.ts'
import { findNewestId } from '../store/messages.ts'
import { changePrompt, findDelivering, lockNext, type PromptRow } from '../store/prompts.ts'
import { dropAsked } from '../store/questions.ts'
import { lockSession, type SessionRow } from '../store/sessions.ts'
import { addTurn, findOpenTurn, moveTurn } from '../store/turns.ts'
import type { PromptOverrides } from './add-prompt.ts'
import { isUsableNow, mintMessageId } from './message-id.ts'
import { acceptTurn, endOpenTurn } from './turns.ts'

const maxAttempts = 5
const retryMs = 1_000
const lostConversation = 'The machine was lost while this prompt was delivered: it may have run.'

/**
 * Delivers prompts one after the other. Before the runtime hears of one, its turn and the id it will have there are
 * written down; whoever comes after a crash asks the runtime for that id before anything is sent again.
 */
export async function pumpPrompts(parts: Parts, running: Running): Promise<void> {
  await settleDeliveries(parts, running)
  for (;;) {
    const claimed = await claimNext(parts, running)
    if (!claimed) return
    const isDelivered = await deliver(parts, running, claimed)
    if (!isDelivered) return
  }
}

/** What a process that died was delivering: the runtime knows whether it arrived. */
async function settleDeliveries(parts: Parts, running: Running): Promise<void> {
  const { db } = parts.kernel.database
  const unsettled = await findDelivering(db, running.row.sessionId)
  if (unsettled.length === 0) return
  const messages = await running.runtime.messages(running.send, running.conversationId)
  const turn = await findOpenTurn(db, running.row.sessionId)
  for (const prompt of unsettled) {
    const isLost = turn?.turnToken === prompt.turnToken && turn?.conversationId !== running.conversationId
    if (isLost) {
      // The conversation that could tell is gone with its disk: a person decides whether it runs again.
      await endOpenTurn(parts, running.row, 'interrupted', ({ turnToken }) => turnToken === prompt.turnToken)
      await changePrompt(db, prompt.promptId, { state: 'failed', turnToken: null, lastError: lostConversation })
      continue
    }
    if (!messages.some(({ info }) => info.id === prompt.wireMessageId)) {
      await endOpenTurn(parts, running.row, 'undelivered', ({ turnToken }) => turnToken === prompt.turnToken)
      await changePrompt(db, prompt.promptId, { state: 'queued', turnToken: null })
      continue
    }
    await noteDelivered(parts, running.row, prompt)
    const { runtime, send, conversationId } = running
    if (await runtime.isBusy(send, conversationId)) continue
    const how = judgeTurn(messages, prompt.wireMessageId)
    await endOpenTurn(parts, running.row, how, ({ turnToken }) => turnToken === prompt.turnToken)
  }
}

async function listKnownIds({ runtime, send, conversationId }: Running): Promise<Set<string>> {
  const messages = await runtime.messages(send, conversationId)
  return new Set(messages.map(({ info }) => String(info.id)))
}

interface Claimed {
  readonly prompt: PromptRow
  readonly session: SessionRow
}

async function claimNext(parts: Parts, { row, conversationId }: Running): Promise<Claimed | undefined> {
  const { kernel } = parts
  const { sessionId } = row
  await storeMessages(parts, sessionId)
  return kernel.database.transact(systemActor, async (tx) => {
    const session = await lockSession(tx.db, sessionId)
    if (session?.status !== 'running' || session.queueHeld || session.deletedAt !== null) return undefined
    if (await findOpenTurn(tx.db, sessionId)) return undefined
    const now = kernel.clock.now()
    const prompt = await lockNext(tx.db, sessionId, now)
    if (!prompt) return undefined
    const newest = await findNewestId(tx.db, sessionId, conversationId)
    const isUsable = isUsableNow(prompt.messageId, newest, now.getTime())
    const wireMessageId = isUsable ? prompt.messageId : mintMessageId(now.getTime())
    const turnToken = newId()
    await addTurn(tx.db, {
      turnToken,
      sessionId,
      promptId: prompt.promptId,
      messageId: wireMessageId,
      conversationId,
      state: 'delivering',
      startedAt: now,
    })
    await dropAsked(tx.db, sessionId, now)
    const attempts = prompt.attempts + 1
    const claimed = await changePrompt(tx.db, prompt.promptId, {
      state: 'delivering',
      turnToken,
      wireMessageId,
      attempts,
    })
    return claimed && { prompt: claimed, session }
  })
}

/** False when nothing further should be sent now. */
async function deliver(parts: Parts, running: Running, { prompt, session }: Claimed): Promise<boolean> {
  const { runtime, send, conversationId } = running
  const overrides: PromptOverrides = prompt.overrides === null ? {} : JSON.parse(prompt.overrides)
  const sent = {
    messageId: prompt.wireMessageId,
    parts: JSON.parse(prompt.parts) as Readonly<Record<string, unknown>>[],
    agent: overrides.agent ?? session.agentName,
    model: overrides.model ?? (session.model === null ? undefined : splitModel(session.model)),
    variant: overrides.variant,
  }
  try {
    await running.prepareTurn(sent.agent, prompt.turnToken ?? '')
    await runtime.prompt(send, conversationId, sent)
  } catch (error) {
    return afterFailure(parts, running, prompt, error)
  }
  await noteDelivered(parts, session, prompt)
  return true
}

async function noteDelivered(parts: Parts, session: SessionRow, prompt: PromptRow): Promise<void> {
  const { kernel } = parts
  await kernel.database.transact(systemActor, async (tx) => {
    await changePrompt(tx.db, prompt.promptId, { state: 'delivered', deliveredAt: kernel.clock.now(), lastError: null })
    await acceptTurn(parts, tx, session, prompt.turnToken ?? '')
  })
}

function refusesForGood(error: unknown): boolean {
  if (Problem.isInstance(error)) return error.status < 500 && error.code !== 'session_busy'
  return RuntimeRequestError.isInstance(error) && error.status >= 400 && error.status < 500
}

/** Refused for good, or nobody knows: then the runtime is asked, and only what it never heard of waits for another try. */
async function afterFailure(parts: Parts, running: Running, prompt: PromptRow, error: unknown): Promise<boolean> {
  const { kernel } = parts
  const lastError = error instanceof Error ? sayError(error) : 'The runtime did not take it.'
  const isRefused = refusesForGood(error)
  const known = isRefused ? new Set<string>() : await listKnownIds(running).catch(() => undefined)
  // Not even that question is answered: it is asked again when the runtime is back, or by the next boot.
  if (known === undefined) {
    kernel.clock.setTimer(retryMs, () => parts.live.deliver(running.row.sessionId))
    return false
  }
  if (known.has(prompt.wireMessageId)) {
    await noteDelivered(parts, running.row, prompt)
    return true
  }
  const isLast = isRefused || prompt.attempts >= maxAttempts
  await kernel.database.transact(systemActor, async (tx) => {
    const ended = { state: 'ended', endReason: 'undelivered', endedAt: kernel.clock.now() } as const
    await moveTurn(tx.db, prompt.turnToken ?? '', ended)
    const availableAt = new Date(kernel.clock.nowMs() + retryMs * 2 ** prompt.attempts)
    await changePrompt(tx.db, prompt.promptId, {
      state: isLast ? 'failed' : 'queued',
      turnToken: null,
      lastError,
      ...(isLast ? {} : { availableAt }),
    })
  })
  if (isLast) return true
  const { sessionId } = running.row
  kernel.clock.setTimer(retryMs * 2 ** prompt.attempts, () => parts.live.deliver(sessionId))
  return false
}
