import { Agent, type Dispatcher } from 'undici'
import type { Kernel, OnStop } from '../../kernel/kernel.ts'
import { createAddressPolicy, createGuardedAgent } from '../../kernel/outbound/index.ts'
import type { OperatorModels } from '../providers/models-file.ts'

export interface UpstreamPools {
  /** Connections to what the operator named, or, guarded, to what a user named. */
  dispatcher(isOperatorEndpoint: boolean): Dispatcher
}

const maxConnections = 512
const keepAliveMs = 30_000

export function createUpstreamPools({ config }: Kernel, timeouts: OperatorModels['timeouts'], onStop: OnStop) {
  const agent = { connections: maxConnections, keepAliveTimeout: keepAliveMs, pipelining: 1 }
  const open = new Agent({ ...agent, connect: { timeout: timeouts.connect_ms } })
  const policy = createAddressPolicy(config.allowPrivateHosts)
  const guarded = createGuardedAgent({ policy, connectTimeoutMs: timeouts.connect_ms, agent })
  onStop(async () => {
    await Promise.all([open.destroy(), guarded.destroy()])
  })
  const pools: UpstreamPools = { dispatcher: (isOperatorEndpoint) => (isOperatorEndpoint ? open : guarded) }
  return pools
}
