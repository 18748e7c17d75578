import { normalizeBase } from '../config/backend-url.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import { RuntimeNotReadyError } from '../errors/session-errors.ts'
import { DAEMON_PORT } from '../localhost/preview-options.ts'

/** The runtime that a config's calls go to. A scoped client has a config of its own, so its runtime stays in its scope. */
const active = /* @__PURE__ */ new WeakMap<SvcConfig, string>()

/** Makes a runtime the active one of a config; undefined leaves it without one. */
export function activateRuntime(config: SvcConfig, url: string | undefined): void {
  if (url) active.set(config, url)
  else active.delete(config)
}

/** The active runtime: that of the session made ready last, else the default sandbox of a host with a single one. */
export function findActiveRuntime(config: SvcConfig): string | undefined {
  const { sandboxId, billingEnabled } = config
  return active.get(config) ?? (sandboxId && !billingEnabled ? runtimeUrlOf(config, sandboxId) : undefined)
}

/** Where the daemon of a sandbox answers. */
export function runtimeUrlOf(config: SvcConfig, sandboxId: string): string {
  return `${normalizeBase(config.backendUrl)}/p/${encodeURIComponent(sandboxId)}/${DAEMON_PORT}`
}

/** The active runtime, or a refusal. */
export function requireRuntime(config: SvcConfig): string {
  const url = findActiveRuntime(config)
  if (!url) throw new RuntimeNotReadyError()
  return url
}
