import { platformConfig } from '../config/platform-config.ts'
import { requireRuntime } from './active-runtime.ts'
import { poolRuntimes } from './build-runtime.ts'
import type { RuntimeClient } from './runtime-calls.ts'

const clients = /* @__PURE__ */ new Map<string, RuntimeClient>()

/**
 * The client of the active sandbox's agent runtime, with the token of `getToken`. One client per address, so that
 * streams opened on it share a connection. Throws `RuntimeNotReadyError` while no runtime is active.
 *
 * @example
 * await svc.session(projectId, sessionId).ensureReady()
 * const agents = await getClient().app.agents()
 */
export function getClient(): RuntimeClient {
  return getClientForUrl(requireRuntime(platformConfig()))
}

/**
 * The client of the runtime at an address.
 *
 * @example
 * const status = await getClientForUrl('https://svc.example.com/v1/p/sb1/8000').session.status()
 */
export function getClientForUrl(url: string): RuntimeClient {
  return poolRuntimes(platformConfig, (call) => call(), clients)(url)
}

/**
 * Forgets the client of an address; the next call makes a new one.
 *
 * @example
 * dropClientForUrl('https://svc.example.com/v1/p/sb1/8000')
 */
export function dropClientForUrl(url: string): void {
  clients.delete(url)
}

/**
 * Forgets every runtime client.
 *
 * @example
 * resetClient()
 */
export function resetClient(): void {
  clients.clear()
}
