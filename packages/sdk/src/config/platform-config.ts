import type { SvcConfig } from './svc-config.ts'

interface SharedConfig {
  config?: SvcConfig
  /** Set by `@svc/sdk/server`: the config of the running async scope. */
  scope?: () => SvcConfig | undefined
}

/** One slot per process, also when two copies of this package are loaded. */
const SLOT = Symbol.for('svc.sdk.config')
const INERT: SvcConfig = { backendUrl: '', getToken: async () => null }

/**
 * Sets the process-wide config. Every client made by `createSvc` uses it from now on.
 *
 * @example
 * configureSvc({ backendUrl: 'https://svc.example.com/v1', getToken: async () => process.env.SVC_TOKEN ?? null })
 */
export function configureSvc(config: SvcConfig, options?: { readonly global?: boolean }): void {
  if (options?.global !== false) shared().config = config
}

/**
 * The config in effect: that of the running scope, else the process-wide one, else one that reaches nothing.
 *
 * @example
 * const { backendUrl } = platformConfig()
 */
export function platformConfig(): SvcConfig {
  return currentConfig() ?? INERT
}

/**
 * True when a scope or the process has a config.
 *
 * @example
 * if (!isConfigured()) configureSvc(config)
 */
export function isConfigured(): boolean {
  return currentConfig() !== undefined
}

/** Lets the server entry say which scope runs. */
export function setScope(scope: () => SvcConfig | undefined): void {
  shared().scope = scope
}

function currentConfig(): SvcConfig | undefined {
  const { scope, config } = shared()
  return scope?.() ?? config
}

function shared(): SharedConfig {
  const host: typeof globalThis & { [SLOT]?: SharedConfig } = globalThis
  host[SLOT] ??= {}
  return host[SLOT]
}
