import type { Agent } from 'node:http'
import { type Connect, ConnectingAgent } from '../kernel/http/index.ts'
import type { OpenMachine } from './open-machine.ts'

/** Machines that run and connections to their daemons, kept between requests and dropped with the machine. */
export interface DaemonClients {
  find(externalId: string): OpenMachine | undefined
  remember(machine: OpenMachine): void
  agentFor(externalId: string, connect: Connect): Agent
  drop(externalId: string): void
  /** The next request looks again; connections stay. */
  forgetAll(): void
  dropAll(): void
}

export function createDaemonClients(): DaemonClients {
  const agents = new Map<string, Agent>()
  const machines = new Map<string, OpenMachine>()
  return {
    find: (externalId) => machines.get(externalId),
    remember: (machine) => void machines.set(machine.externalId, machine),
    agentFor(externalId, connect) {
      const found = agents.get(externalId)
      if (found) return found
      const agent = new ConnectingAgent(connect)
      agents.set(externalId, agent)
      return agent
    },
    drop(externalId) {
      machines.delete(externalId)
      agents.get(externalId)?.destroy()
      agents.delete(externalId)
    },
    forgetAll: () => machines.clear(),
    dropAll() {
      machines.clear()
      for (const agent of agents.values()) agent.destroy()
      agents.clear()
    },
  }
}
