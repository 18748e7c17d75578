import { problem } from '../kernel/http/index.ts'
import type { Principal } from '../kernel/principal.ts'
import { openFor } from './access.ts'
import type { Parts } from './parts.ts'
import { isElsewhere } from './sessions-here.ts'
import type { SessionRow } from './store/sessions.ts'

/** The session on a machine, for those who may open it; 404 for everybody else. */
export async function openMachine(parts: Parts, principal: Principal, externalId: string) {
  const machine = await parts.sandboxes.findByExternalId(externalId)
  if (!machine) throw problem('not_found', { say: 'There is no such session.' })
  const { row } = await openFor(parts, principal, machine.sandboxId)
  await refuseSiblings(parts, principal, row)
  const { sessionId, projectId, accountId, agentName, status } = row
  const isActive = status === 'running' && machine.status === 'active'
  return { sessionId, projectId, accountId, agentName, isActive, isElsewhere: isElsewhere(parts, row) }
}

/**
 * Whoever is inside a machine has what its agent has, its token included. So for the machine of another session it is
 * not enough that an agent may read sessions: it must be allowed to start that very agent.
 */
async function refuseSiblings(parts: Parts, principal: Principal, row: SessionRow): Promise<void> {
  if (principal.sessionId === undefined || principal.sessionId === row.sessionId) return
  const { accountId, projectId, agentName } = row
  const object = { type: 'agent', id: agentName } as const
  const refused = await parts.refusal(principal, 'project.session.start', { accountId, projectId, object })
  if (refused) throw refused
}
