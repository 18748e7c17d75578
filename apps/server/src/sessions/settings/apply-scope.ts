import { systemActor } from '../../kernel/actor.ts'
import { Problem, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { createKeyedLock } from '../../kernel/keyed-lock.ts'
import { findGrantingAgent } from '../create/granting-agent.ts'
import { readPlan } from '../create/read-plan.ts'
import { readDeliveredSecrets } from '../lifecycle/delivered-secrets.ts'
import { scopeVariables } from '../lifecycle/plan-boot.ts'
import type { Admission, Running, SessionScope } from '../lifecycle/running.ts'
import { mustForget, scopeOf } from '../lifecycle/session-scope.ts'
import { askDaemon } from '../lifecycle/transport.ts'
import type { Parts } from '../parts.ts'
import { findSession, type SessionRow } from '../store/sessions.ts'
import { isAtWork, openAdmission } from './at-work.ts'

/** An agent of the session's manifest, as it stands now. */
export async function readGrant(parts: Parts, row: SessionRow) {
  try {
    const plan = await readPlan(parts, row.projectId, row.baseRef)
    const agent = await findGrantingAgent(parts, row, plan)
    if (agent) return { plan, agent }
  } catch (cause) {
    if (!Problem.isInstance(cause)) throw cause
    throw problem('agent_grant_unresolved', { cause })
  }
  throw problem('agent_grant_unresolved')
}

/** The branch is gone, or the repository away: what the manifest says now is not known. */
const isUnread = (error: unknown) =>
  Problem.isInstance(error) && error.code === 'agent_grant_unresolved' && error.cause !== undefined

/**
 * Before a prompt reaches the runtime: the session's token has the grants of the agent that answers it, and the machine
 * that agent's secrets, both as they are now. Throws where they cannot be brought there.
 */
export async function scopeTurn(parts: Parts, running: Running, agentName: string, turnToken: string): Promise<void> {
  const applied = await alone(running.row.sessionId, () => apply(parts, running, agentName, turnToken))
  if (applied === 'applied') return
  throw problem('session_busy', {
    say: 'The runtime still works for another agent, or with secrets that are no longer for this session.',
    next: 'Wait for the end of its turn, or stop it.',
  })
}

/**
 * Token and environment; nothing is sent when nothing changed. `later`: the runtime is at work and still holds
 * what it must forget, which it does as soon as it is asked when it is idle.
 */
export function applyScope(parts: Parts, running: Running): Promise<'applied' | 'later'> {
  return alone(running.row.sessionId, () => apply(parts, running, running.scope.agent))
}

/** For a prompt that goes past the queue. From here on no other agent gets the token until its turn has ended. */
export function admitTurn(parts: Parts, running: Running, agentName: string): Promise<Admission> {
  return alone(running.row.sessionId, async () => {
    if ((await apply(parts, running, agentName)) === 'applied') return openAdmission(parts, running)
    throw problem('session_busy', {
      say: `The session works for the agent ${running.scope.agent} just now.`,
      next: 'Wait for the end of its turn, or send the prompt to the queue.',
    })
  })
}

/** The daemon takes one change at a time. */
const alone = createKeyedLock()

async function apply(
  parts: Parts,
  running: Running,
  agentName: string,
  ownTurn?: string,
): Promise<'applied' | 'later'> {
  const row = await findSession(parts.kernel.database.db, running.row.sessionId)
  if (!row) throw problem('session_deleted')
  const read = await readScope(parts, row, agentName).catch((error: unknown) => {
    // A session goes on with what it has; only another agent needs the manifest.
    if (isUnread(error) && agentName === running.scope.agent) return undefined
    throw error
  })
  if (!read || read.scope.revision === running.scope.revision) return 'applied'
  const { scope, secrets } = read
  // What an agent may no longer use, its token loses first; another agent's grants come only when the machine is ready.
  const isSwitch = scope.agent !== running.scope.agent
  if (isSwitch && (await isAtWork(parts, running, ownTurn))) return 'later'
  if (!isSwitch) await scopeToken(parts, row, scope)
  const variables = scopeVariables(scope.agent, secrets)
  const isForgetting = mustForget(running.scope, scope)
  const { status, body } = await askDaemon(parts, running.machine.externalId, {
    method: 'POST',
    path: '/svc/env',
    body: {
      revision: scope.revision,
      env: { ...secrets.env, ...variables },
      names: Object.keys(secrets.env),
      // A runtime whose own environment changes is started again, and with it goes what it held.
      ...(isForgetting ? { opencodeEnv: { SVC_SCOPE_CHANGE: newId() } } : {}),
    },
    timeoutMs: envTimeoutMs,
  })
  if (status !== 200) throw problem('sandbox_unreachable', { say: 'The machine did not take its environment.' })
  if (isForgetting && body.opencode_reload === 'kept-old') return 'later'
  if (isSwitch) await scopeToken(parts, row, scope)
  running.scope = scope
  return 'applied'
}

/** What an agent may use in a session, by the manifest and the secrets as they are now. */
export async function readScope(parts: Parts, row: SessionRow, agentName: string) {
  const { agent } = await readGrant(parts, { ...row, agentName })
  const secrets = await readDeliveredSecrets(parts, row, agent)
  return { scope: scopeOf(row, agent, secrets), secrets }
}

/** A runtime that starts again takes its time. */
const envTimeoutMs = 60_000

async function scopeToken(parts: Parts, row: SessionRow, { agent, grant }: SessionScope): Promise<void> {
  const { sessionId, accountId, projectId } = row
  await parts.kernel.database.transact({ ...systemActor, sessionId }, async (tx) => {
    await parts.access.ensureAgentIdentity(tx, { accountId, projectId, agentName: agent })
    await parts.tokens.changeGrant(tx, { sessionId, kind: 'session' }, grant)
    await tx.audit({
      action: 'session.scope',
      accountId,
      projectId,
      sessionId,
      resourceType: 'session',
      resourceId: sessionId,
      metadata: { agent },
    })
  })
}
