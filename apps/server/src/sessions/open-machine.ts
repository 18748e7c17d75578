import type { Principal } from '../kernel/principal.ts'
import { judge, missingSession, readStanding } from './access.ts'
import type { Parts } from './parts.ts'
import { isElsewhere } from './sessions-here.ts'
import { findMachineSession, type MachineSession } from './store/machine-session.ts'

/** What was asked about a machine for one caller; judged when they are known to be allowed here at all. */
export interface MachineQuestion {
  readonly externalId: string
  readonly callerId: string
  readonly answer: Promise<MachineSession | undefined>
}

/** Asks what `openMachine` will have to know, so that it can be under way beside other questions. */
export function askMachine({ kernel }: Parts, { kind, id }: Principal, externalId: string): MachineQuestion {
  const userId = kind === 'user' && id !== '' ? id : null
  const answer = findMachineSession(kernel.database.sql, externalId, userId)
  // Whoever waits for it hears of the failure; a caller who is refused before that waits for nothing.
  answer.catch(() => undefined)
  return { externalId, callerId: id, answer }
}

/** The session on a machine, for those who may open it; 404 for everybody else. */
export async function openMachine(parts: Parts, principal: Principal, externalId: string, asked?: MachineQuestion) {
  const isAsked = asked?.externalId === externalId && asked.callerId === principal.id
  const row = await (isAsked ? asked : askMachine(parts, principal, externalId)).answer
  if (!row) throw missingSession()
  const viewer = { ...(await readStanding(parts, principal, row)), groupIds: row.groupIds }
  if (!judge(viewer, row).canOpen) throw missingSession()
  await refuseSiblings(parts, principal, row)
  const { sessionId, projectId, accountId, agentName, status } = row
  const isActive = status === 'running' && row.machineStatus === 'active'
  return { sessionId, projectId, accountId, agentName, isActive, isElsewhere: isElsewhere(parts, row) }
}

/**
 * Whoever is inside a machine has what its agent has, its token included. So for the machine of another session it is
 * not enough that an agent may read sessions: it must be allowed to start that very agent.
 */
async function refuseSiblings(parts: Parts, principal: Principal, row: MachineSession): Promise<void> {
  if (principal.sessionId === undefined || principal.sessionId === row.sessionId) return
  const { accountId, projectId, agentName } = row
  const object = { type: 'agent', id: agentName } as const
  const refused = await parts.refusal(principal, 'project.session.start', { accountId, projectId, object })
  if (refused) throw refused
}
