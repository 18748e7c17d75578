import type { operations } from '@svc/contract'
import { type Call, problem } from '../../kernel/http/index.ts'
import { openSession } from '../access.ts'
import type { Parts } from '../parts.ts'
import { requireHere } from '../sessions-here.ts'
import { askDaemon } from './transport.ts'

const maxMessageLength = 500
const timeoutMs = 110_000

/** Everything in the workspace, committed and pushed to the session's branch by the machine itself. */
export async function commitPush(parts: Parts, call: Call<typeof operations.sessions.commit>) {
  const { row } = await openSession(parts, call)
  const { sessionId } = row
  const own = call.principal.sessionId
  if (own !== undefined && own !== sessionId) {
    throw problem('forbidden', { say: 'The token of a session commits in its own session only.' })
  }
  const machine = await parts.sandboxes.findMachine(sessionId)
  if (!machine || machine.status === 'archived') throw problem('not_found', { say: 'This session has no machine.' })
  if (row.status !== 'running' || machine.status !== 'active') {
    throw problem('session_not_running', { extras: { status: row.status } })
  }
  requireHere(parts, row)
  const message = call.body.message?.trim().slice(0, maxMessageLength)
  const { status, body } = await askDaemon(parts, machine.externalId, {
    method: 'POST',
    path: '/svc/git/commit-push',
    body: message ? { message } : {},
    timeoutMs,
  })
  if (status !== 200) throw refusal(status, body)
  const result = {
    committed: body.committed === true,
    pushed: body.pushed === true,
    nothing_to_do: body.nothing_to_do === true,
    branch: text(body.branch),
    head_sha: text(body.head_sha),
  }
  await parts.kernel.database.transact(call.actor, (tx) =>
    tx.audit({
      action: 'session.commit',
      sessionId,
      resourceType: 'session',
      resourceId: sessionId,
      metadata: { ...result },
    }),
  )
  return result
}

function refusal(status: number, body: Readonly<Record<string, unknown>>) {
  const say = text(body.error) ?? 'The machine did not commit.'
  if (status === 409) return problem(body.code === 'git_busy' ? 'commit_in_progress' : 'commit_rejected', { say })
  return problem('sandbox_unreachable', { say })
}

const text = (value: unknown) => (typeof value === 'string' ? value : null)
