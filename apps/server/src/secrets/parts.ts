import type { FeatureFlag } from '@svc/contract'
import type { Kernel } from '../kernel/kernel.ts'
import type { Repositories } from '../repositories/index.ts'

/** How a change reached the sandboxes that run. */
export interface DeliverySync {
  readonly ok: boolean
  readonly targeted: number
  readonly synced: number
  readonly failed: number
  readonly failures: { session_id: string; sandbox_id: string | null; reason: string }[]
}

/** What secrets need from the rest of the platform. */
export interface SecretsOptions {
  readonly features: {
    isFeatureEnabled(projectId: string, feature: FeatureFlag): Promise<boolean>
    /** Throws 403 `feature_disabled` while the flag is off. */
    requireFeature(projectId: string, feature: FeatureFlag): Promise<void>
  }
  readonly repositories: Pick<Repositories, 'findRepository' | 'readDefaultManifest' | 'remotes'>
  /** Brings a change to the sandboxes that run; null when there is none. */
  readonly syncSessions?: (projectId: string) => Promise<DeliverySync | null>
}

export interface Parts extends SecretsOptions {
  readonly kernel: Kernel
}
