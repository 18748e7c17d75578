import { type ResolvedAgent, unrestrictedAgent } from '@svc/manifest'
import { problem } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import { declaresAgents, listAgents, type Plan } from './read-plan.ts'

/** The runtime's own agent, where the manifest declares none by name. */
const runtimeAgent = 'build'

interface Chooser {
  readonly principal: Principal
  readonly projectId: string
  readonly accountId: string
}

/** The agent a session runs, after the check that the caller may run it. */
export async function chooseAgent(
  parts: Parts,
  chooser: Chooser,
  plan: Plan,
  asked: string | undefined,
): Promise<ResolvedAgent> {
  const { defaultAgent } = plan.resolved
  const name = asked === undefined || asked === 'default' ? (defaultAgent ?? undefined) : asked
  if (name === undefined) return chooseFirst(parts, chooser, plan)
  const agent = findAgent(plan, name)
  if (!agent) {
    throw problem('agent_not_available', {
      say: `The manifest declares no enabled agent named ${name}.`,
      extras: { accessible_agents: await listAccessible(parts, chooser, plan) },
    })
  }
  const refused = await refusalFor(parts, chooser, name)
  if (!refused) return agent
  throw problem('agent_not_accessible', {
    say: refused.message,
    extras: { requested_agent: name, accessible_agents: await listAccessible(parts, chooser, plan) },
  })
}

export function findAgent(plan: Pick<Plan, 'resolved' | 'parsed'>, name: string): ResolvedAgent | undefined {
  const declared = listAgents(plan).find((agent) => agent.name === name)
  if (declared || declaresAgents(plan)) return declared
  return unrestrictedAgent(plan.parsed, name)
}

/** No default can be determined: the first agent that is open to the caller. */
async function chooseFirst(parts: Parts, chooser: Chooser, plan: Plan): Promise<ResolvedAgent> {
  const agents = declaresAgents(plan) ? listAgents(plan) : [unrestrictedAgent(plan.parsed, runtimeAgent)]
  for (const agent of agents) if (!(await refusalFor(parts, chooser, agent.name))) return agent
  throw problem('no_agent_access', { extras: { accessible_agents: [] } })
}

export async function listAccessible(parts: Parts, chooser: Chooser, plan: Pick<Plan, 'resolved'>): Promise<string[]> {
  const open: string[] = []
  for (const { name } of listAgents(plan)) if (!(await refusalFor(parts, chooser, name))) open.push(name)
  return open
}

/** An agent that starts another session needs the same standing as the person it works for. */
function refusalFor(parts: Parts, { principal, projectId, accountId }: Chooser, agentName: string) {
  return parts.refusal(principal, 'project.session.start', {
    accountId,
    projectId,
    object: { type: 'agent', id: agentName },
  })
}
