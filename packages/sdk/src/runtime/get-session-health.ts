import { platformConfig } from '../config/platform-config.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import { fetchAuthenticated } from '../http/authenticated-fetch.ts'
import type { RuntimeHealth } from '../sessions/is-runtime-ready.ts'
import { parseJson } from '../wire/parse-json.ts'
import { firstText, isRecord, readFinite, toRecord } from '../wire/read-value.ts'
import { findActiveRuntime } from './active-runtime.ts'

/** How a runtime answered when it was asked for its health. */
export interface SessionHealth {
  /** HTTP status; 0 when nothing was asked. */
  readonly status: number
  readonly ok: boolean
  readonly health: RuntimeHealth | null
  /** The answer as it came. */
  readonly body: string
  /** Which stage of the proxy failed. */
  readonly hop?: string | null
  readonly targetStatus?: number | null
}

/**
 * Asks a runtime how it is: the active one unless an address is given. An answer of any status is a result, and without
 * a runtime nothing is asked; it rejects only when no answer arrives.
 *
 * @example
 * const { health } = await getSessionHealth()
 * if (isRuntimeReady(health)) start()
 */
export function getSessionHealth(runtimeUrl?: string | null, init?: RequestInit): Promise<SessionHealth> {
  const config = platformConfig()
  return readHealth(config, runtimeUrl === undefined ? findActiveRuntime(config) : runtimeUrl, init)
}

/** The health of the runtime at an address. */
export async function readHealth(
  config: SvcConfig,
  url: string | null | undefined,
  init?: RequestInit,
): Promise<SessionHealth> {
  if (!url) return { status: 0, ok: false, health: null, body: '' }
  const response = await fetchAuthenticated(config, `${url}/svc/health`, init, { retryOnAuthError: false })
  const { status, ok, headers } = response
  const body = await response.text()
  const parsed = parseJson(body)?.value
  const { hop, target_status: target } = toRecord(parsed)
  return {
    status,
    ok,
    health: isRecord(parsed) ? parsed : null,
    body,
    hop: firstText(headers.get('x-svc-proxy-hop'), hop) ?? null,
    targetStatus: (Number(headers.get('x-svc-target-status')) || readFinite(target)) ?? null,
  }
}
