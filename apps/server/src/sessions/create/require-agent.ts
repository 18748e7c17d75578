import type { Principal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import type { SessionRow } from '../store/sessions.ts'
import { chooseAgent } from './choose-agent.ts'
import { readPlan } from './read-plan.ts'

/** The name of the session's agent, or of the other one that a prompt names, once the caller may run it. */
export async function requireAgent(
  parts: Parts,
  { principal }: { readonly principal: Principal },
  row: SessionRow,
  asked: string = row.agentName,
): Promise<string> {
  const { projectId, accountId } = row
  const object = { type: 'agent', id: asked } as const
  const refused = await parts.refusal(principal, 'project.session.start', { accountId, projectId, object })
  if (!refused && asked === row.agentName) return asked
  // Only now the manifest is read: whether there is such an agent, and which ones are open to the caller.
  const plan = await readPlan(parts, projectId, row.baseRef)
  return (await chooseAgent(parts, { principal, projectId, accountId }, plan, asked)).name
}
