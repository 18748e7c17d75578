import { Agent, type ClientRequestArgs } from 'node:http'
import { type Duplex, PassThrough } from 'node:stream'

type Connect = () => Promise<Duplex>

/** Connections to daemons, kept open between requests and dropped with the machine. */
export interface DaemonClients {
  agentFor(externalId: string, connect: Connect): Agent
  drop(externalId: string): void
  dropAll(): void
}

export function createDaemonClients(): DaemonClients {
  const agents = new Map<string, Agent>()
  return {
    agentFor(externalId, connect) {
      const found = agents.get(externalId)
      if (found) return found
      const agent = new DaemonAgent(connect)
      agents.set(externalId, agent)
      return agent
    },
    drop(externalId) {
      agents.get(externalId)?.destroy()
      agents.delete(externalId)
    },
    dropAll() {
      for (const agent of agents.values()) agent.destroy()
      agents.clear()
    },
  }
}

/** Streams of events hold their connection for hours, so nothing limits how many there are. */
class DaemonAgent extends Agent {
  readonly #connect: Connect

  constructor(connect: Connect) {
    super({ keepAlive: true, maxFreeSockets: 16 })
    this.#connect = connect
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.#connect().then(
      (stream) => callback?.(null, stream),
      // Nobody looks at the stream when there is an error.
      (error: Error) => callback?.(error, new PassThrough()),
    )
    return undefined
  }
}
