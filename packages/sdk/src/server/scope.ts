import { AsyncLocalStorage } from 'node:async_hooks'
import { setScope } from '../config/platform-config.ts'
import type { SvcConfig } from '../config/svc-config.ts'

/** One store per process, also when two copies of this package are loaded. */
const SLOT = Symbol.for('svc.sdk.scope')

/**
 * Runs `fn` with a config of its own: every call of the library that it starts, however many awaits later, uses it.
 *
 * @example
 * await runWithSvc({ backendUrl, getToken: async () => request.token }, () => listAssignments(accountId))
 */
export function runWithSvc<T>(config: SvcConfig, fn: () => T): T {
  const storage = scopes()
  setScope(() => storage.getStore())
  return storage.run(config, fn)
}

/**
 * The config of the running scope, or undefined outside of one.
 *
 * @example
 * const token = await getScopedConfig()?.getToken()
 */
export function getScopedConfig(): SvcConfig | undefined {
  return scopes().getStore()
}

function scopes(): AsyncLocalStorage<SvcConfig> {
  const host: typeof globalThis & { [SLOT]?: AsyncLocalStorage<SvcConfig> } = globalThis
  host[SLOT] ??= new AsyncLocalStorage()
  return host[SLOT]
}
