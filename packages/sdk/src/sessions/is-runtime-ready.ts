import { isRecord, toText } from '../wire/read-value.ts'

/** What the daemon in a sandbox says about itself. */
export interface RuntimeHealth {
  readonly status?: string
  readonly runtimeReady?: boolean
  readonly version?: string
  readonly opencode?: string | boolean
  readonly boot_error?: string | null
  readonly reason?: string | null
  readonly message?: string | null
}

/**
 * True when the runtime of a session can take a prompt.
 *
 * @example
 * isRuntimeReady({ runtimeReady: true }) // true
 * isRuntimeReady(null) // false
 */
export function isRuntimeReady(health: RuntimeHealth | null | undefined): boolean {
  if (!isRecord(health)) return false
  if (health.runtimeReady !== undefined) return health.runtimeReady === true
  if (health.opencode !== undefined) return health.opencode === 'ok' || health.opencode === true
  return !/^(starting|down|error)$/.test(toText(health.status))
}
