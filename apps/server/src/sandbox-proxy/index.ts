import { z } from 'zod'
import type { Capability } from '../kernel/capability.ts'
import { defineJob, defineSchedule } from '../kernel/jobs/index.ts'
import type { Kernel, OnStop } from '../kernel/kernel.ts'
import { createMachineAgents } from './machine-agents.ts'
import type { ProxyOptions } from './parts.ts'
import { proxyRoutes } from './routes.ts'
import { cleanProxy } from './store.ts'

export type { OpenedSession, PromptFacts, ProxyOptions, SessionShare } from './parts.ts'

/** The way into running sandboxes: the agent runtime, previews, terminals, and links that open one port of them. */
export function createSandboxProxy(kernel: Kernel, options: ProxyOptions & { readonly onStop: OnStop }): Capability {
  const agents = createMachineAgents(options.sandboxes.connect)
  options.onStop(() => agents.stop())
  const cleaning = defineJob({
    name: 'sandbox-proxy.clean',
    payload: z.object({}),
    maxAttempts: 3,
    run: () => cleanProxy(kernel.database.sql),
  })
  return {
    routes: proxyRoutes({ ...options, kernel }, agents),
    jobs: [cleaning],
    schedules: [defineSchedule({ name: 'sandbox-proxy.clean', cron: '53 * * * *', job: cleaning, payload: {} })],
  }
}
