import type { ProxyOptions } from './parts.ts'
import { PortAgent } from './port-agent.ts'

export interface MachineAgents {
  agentFor(externalId: string, port: number): PortAgent
  stop(): void
}

/** Far more than a machine has running; beyond it the oldest keep no connection any more. */
const maxAgents = 512

/** Keeps connections into machines open between requests: one pool for each port of each machine. */
export function createMachineAgents(
  connect: ProxyOptions['sandboxes']['connect'],
  maxKept: number = maxAgents,
): MachineAgents {
  const agents = new Map<string, PortAgent>()
  return {
    agentFor(externalId, port) {
      const key = `${externalId}:${port}`
      const known = agents.get(key)
      if (known) return known
      const agent = new PortAgent(() => connect(externalId, port))
      agents.set(key, agent)
      if (agents.size > maxKept) retireOldest(agents)
      return agent
    },
    stop() {
      for (const agent of agents.values()) agent.destroy()
      agents.clear()
    },
  }
}

function retireOldest(agents: Map<string, PortAgent>): void {
  const [oldest] = agents
  if (!oldest) return
  agents.delete(oldest[0])
  oldest[1].retire()
}
