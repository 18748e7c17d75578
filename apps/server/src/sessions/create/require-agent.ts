import type { Principal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import type { SessionRow } from '../store/sessions.ts'
import { chooseAgent } from './choose-agent.ts'
import { readPlan } from './read-plan.ts'

/** Another agent than the session's own answers only whom it is open to. */
export async function requireAgent(
  parts: Parts,
  { principal }: { readonly principal: Principal },
  row: SessionRow,
  agentName: string,
): Promise<void> {
  if (agentName === row.agentName) return
  const plan = await readPlan(parts, row.projectId, row.baseRef)
  await chooseAgent(parts, { principal, projectId: row.projectId, accountId: row.accountId }, plan, agentName)
}
