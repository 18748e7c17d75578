import { Agent, type AgentOptions } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ProxyOptions } from './parts.ts'

export interface MachineAgents {
  agentFor(externalId: string, port: number): Agent
  stop(): void
}

/** Far more than a machine has running; the rest are closed, oldest first. */
const maxAgents = 512

/** Keeps connections into machines open between requests: one pool for each port of each machine. */
export function createMachineAgents(connect: ProxyOptions['sandboxes']['connect']): MachineAgents {
  const agents = new Map<string, Agent>()
  return {
    agentFor(externalId, port) {
      const key = `${externalId}:${port}`
      const known = agents.get(key)
      if (known) return known
      const agent = new MachineAgent(() => connect(externalId, port))
      agents.set(key, agent)
      dropOldest(agents)
      return agent
    },
    stop() {
      for (const agent of agents.values()) agent.destroy()
      agents.clear()
    },
  }
}

function dropOldest(agents: Map<string, Agent>): void {
  if (agents.size <= maxAgents) return
  const [oldest] = agents
  if (!oldest) return
  agents.delete(oldest[0])
  // Requests under way hold their own connection; only idle ones are closed.
  oldest[1].destroy()
}

const options: AgentOptions = { keepAlive: true, maxFreeSockets: 16, timeout: 0 }

class MachineAgent extends Agent {
  readonly #open: () => Promise<Duplex>

  constructor(open: () => Promise<Duplex>) {
    super(options)
    this.#open = open
  }

  override createConnection(
    _options: object,
    done?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | undefined {
    this.#open().then(
      (stream) => done?.(null, stream),
      // Node ignores the stream when there is an error; its types ask for one all the same.
      (error: Error) => done?.(error, undefined as never),
    )
    return undefined
  }
}
