import type { ResolvedAgent } from '@svc/manifest'
import type { Parts } from '../parts.ts'
import type { SessionRow } from '../store/sessions.ts'
import { findAgent } from './choose-agent.ts'
import { type Plan, readPlan } from './read-plan.ts'

/**
 * Whose grants a session has. An agent that starts sessions could write any grant on a branch of its own and start one
 * from there; so of a session that an agent started, what the default branch says counts, which no agent pushes to.
 */
export async function findGrantingAgent(
  parts: Parts,
  { projectId, agentName, spawnedBy }: Pick<SessionRow, 'projectId' | 'agentName' | 'spawnedBy'>,
  plan: Plan,
): Promise<ResolvedAgent | undefined> {
  const isOwnWord = spawnedBy !== null && plan.baseRef !== plan.repository.defaultBranch
  return findAgent(isOwnWord ? await readPlan(parts, projectId, undefined) : plan, agentName)
}
