import type { FeatureFlagKey } from '../features/feature-flag-keys.ts'

/** A fetch function: the ambient one, or one that the host brings. */
export type FetchFunction = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** What the host wants to say about a failed call. */
export interface ErrorContext {
  readonly operation?: string
  readonly resource?: string
  /** Keeps this failure away from `onError`. */
  readonly silent?: boolean
}

/** Something that a host may show outside the page. */
export interface NotifyEvent {
  readonly kind: 'task-complete' | 'session-error' | 'question' | 'permission'
  readonly [field: string]: unknown
}

/** How a client reaches the service, and who it acts for. */
export interface SvcConfig {
  /** Base address, `https://svc.example.com/v1`; `/v1` is added when it is missing. */
  readonly backendUrl: string
  /** Asked on every request; the library keeps no token. */
  readonly getToken: () => Promise<string | null>
  /** Labels the audit log; changes no permission. */
  readonly clientSource?: 'api' | 'cli' | 'mobile' | 'web' | undefined
  /** Replaces the ambient fetch everywhere. */
  readonly fetch?: FetchFunction | undefined
  /** Told once of each failed call. */
  readonly onError?: ((error: Error, context?: ErrorContext) => void) | undefined
  readonly onToast?:
    | ((level: 'info' | 'success' | 'error' | 'warning', message: string, options?: unknown) => void)
    | undefined
  readonly onNotify?: ((event: NotifyEvent) => void) | undefined
  /** Scopes a local message cache. */
  readonly getUserId?: (() => Promise<string | null>) | undefined
  /** Default sandbox for hosts with a single one. */
  readonly sandboxId?: string | null | undefined
  /** True: there is no default sandbox. */
  readonly billingEnabled?: boolean | undefined
  readonly featureFlags?: Partial<Record<FeatureFlagKey, boolean>> | undefined
}

/** Where a client takes its config from at the moment of a call. */
export type ConfigSource = () => SvcConfig
