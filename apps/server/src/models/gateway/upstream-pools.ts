import { Agent, type Dispatcher } from 'undici'
import type { Kernel, OnStop } from '../../kernel/kernel.ts'
import { createAddressPolicy, createGuardedAgent } from '../../kernel/outbound/index.ts'

export interface UpstreamPools {
  /** Connections to what the operator named, or, guarded, to what a user named. */
  dispatcher(isOperatorEndpoint: boolean, connectTimeoutMs: number): Dispatcher
}

const maxConnections = 512
const keepAliveMs = 30_000

interface Pair {
  readonly connectTimeoutMs: number
  readonly open: Agent
  readonly guarded: Agent
}

/** One pair for the time-out in force; when the operator changes it, calls under way end on the pair they began with. */
export function createUpstreamPools({ config }: Pick<Kernel, 'config'>, onStop: OnStop): UpstreamPools {
  const policy = createAddressPolicy(config.allowPrivateHosts)
  let pair: Pair | undefined

  function openPair(connectTimeoutMs: number): Pair {
    const agent = { connections: maxConnections, keepAliveTimeout: keepAliveMs, pipelining: 1 }
    return {
      connectTimeoutMs,
      open: new Agent({ ...agent, connect: { timeout: connectTimeoutMs } }),
      guarded: createGuardedAgent({ policy, connectTimeoutMs, agent }),
    }
  }

  onStop(async () => {
    await Promise.all([pair?.open.destroy(), pair?.guarded.destroy()])
  })
  return {
    dispatcher(isOperatorEndpoint, connectTimeoutMs) {
      if (pair?.connectTimeoutMs !== connectTimeoutMs) {
        void pair?.open.close()
        void pair?.guarded.close()
        pair = openPair(connectTimeoutMs)
      }
      return isOperatorEndpoint ? pair.open : pair.guarded
    },
  }
}
