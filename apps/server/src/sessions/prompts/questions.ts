import type { operations } from '@svc/contract'
import { type Call, problem, refuseAgents } from '../../kernel/http/index.ts'
import { openSession } from '../access.ts'
import type { Parts } from '../parts.ts'
import { findAsked, listAskedPermissions, type QuestionRow, resolveQuestion } from '../store/questions.ts'
import { lockSession } from '../store/sessions.ts'
import { findOpenTurn } from '../store/turns.ts'
import { queuePrompt } from './add-prompt.ts'
import { mintMessageId } from './message-id.ts'
import { rouse } from './routes.ts'

type Ops = typeof operations.sessions

export async function readQuestion(parts: Parts, call: Call<Ops['question']>) {
  const { row } = await openSession(parts, call)
  const { db } = parts.kernel.database
  const [asked, permissions, turn] = await Promise.all([
    findAsked(db, row.sessionId),
    listAskedPermissions(db, row.sessionId),
    findOpenTurn(db, row.sessionId),
  ])
  return { question: asked ? describeAsk(asked) : null, permissions: turn ? permissions.map(describeAsk) : [] }
}

/** As the runtime asked it. */
function describeAsk({ data, askedAt }: QuestionRow): Record<string, unknown> {
  return { ...JSON.parse(data), asked_at: askedAt.toISOString() }
}

interface AskedQuestion {
  readonly question?: unknown
}

/**
 * To the runtime while it still waits with the question; otherwise it has forgotten, and the answer goes to it as a turn
 * of its own. Of two answers the first counts.
 */
export async function answerQuestion(parts: Parts, call: Call<Ops['answerQuestion']>) {
  const { row } = await openSession(parts, call)
  refuseAgents(call.principal, 'answer a question that was asked of a person')
  const { answers, request_id: requestId } = call.body
  const { db } = parts.kernel.database
  const asked = await findAsked(db, row.sessionId)
  if (!asked || (requestId !== undefined && asked.requestId !== requestId)) throw problem('already_answered')
  if (await answerLive(parts, row.sessionId, asked.requestId, answers)) {
    await resolveQuestion(db, row.sessionId, asked.requestId, 'answered', parts.kernel.clock.now())
    return { ok: true as const, delivery: 'runtime' as const }
  }
  await parts.kernel.database.transact(call.actor, async (tx) => {
    const session = await lockSession(tx.db, row.sessionId)
    const now = parts.kernel.clock.now()
    if (!session || !(await resolveQuestion(tx.db, row.sessionId, asked.requestId, 'answered', now))) {
      throw problem('already_answered')
    }
    await queuePrompt(tx, session, {
      clientMessageId: `answer:${asked.requestId}`,
      messageId: mintMessageId(now.getTime()),
      parts: [{ type: 'text', text: describeAnswers(asked.data, answers) }],
      remint: true,
      origin: 'answer',
      sentBy: call.principal.id || undefined,
    })
    await tx.audit({
      action: 'session.answer',
      sessionId: row.sessionId,
      resourceType: 'session',
      resourceId: row.sessionId,
      metadata: { request_id: asked.requestId },
    })
  })
  await rouse(parts, row.sessionId)
  return { ok: true as const, delivery: 'queued' as const }
}

/** True when the runtime took it. */
async function answerLive(
  parts: Parts,
  sessionId: string,
  requestId: string,
  answers: readonly (readonly string[])[],
): Promise<boolean> {
  const running = parts.live.find(sessionId)
  if (!running) return false
  const { runtime, send } = running
  try {
    const { questions } = await runtime.listAsks(send)
    if (!questions.some(({ id }) => id === requestId)) return false
    await runtime.answerQuestion(send, requestId, answers)
    return true
  } catch (error) {
    parts.kernel.log.debug('a question could not be answered in the runtime', { session_id: sessionId, error })
    return false
  }
}

function describeAnswers(data: string, answers: readonly (readonly string[])[]): string {
  const { questions } = JSON.parse(data) as { questions?: readonly AskedQuestion[] }
  const lines = answers.map((chosen, index) => {
    const question = questions?.[index]?.question
    return `${typeof question === 'string' ? question : `Question ${index + 1}`}\n${chosen.join(', ') || '(no answer)'}`
  })
  return `Here are the answers to what you asked before you were interrupted:\n\n${lines.join('\n\n')}`
}
