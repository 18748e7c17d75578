import type { Principal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import type { SessionRow } from '../store/sessions.ts'
import { chooseAgent } from './choose-agent.ts'
import { readPlan } from './read-plan.ts'

/** The caller may run the session's agent, or the other one that a prompt names. */
export async function requireAgent(
  parts: Parts,
  { principal }: { readonly principal: Principal },
  row: SessionRow,
  agentName: string = row.agentName,
): Promise<void> {
  const { projectId, accountId } = row
  const object = { type: 'agent', id: agentName } as const
  const refused = await parts.refusal(principal, 'project.session.start', { accountId, projectId, object })
  if (!refused && agentName === row.agentName) return
  // Only now the manifest is read: whether there is such an agent, and which ones are open to the caller.
  const plan = await readPlan(parts, projectId, row.baseRef)
  await chooseAgent(parts, { principal, projectId, accountId }, plan, agentName)
}
