import type { FeatureFlag } from '@svc/contract'
import type { Kernel } from '../kernel/kernel.ts'
import type { Repositories } from '../repositories/index.ts'

/** What secrets need from the rest of the platform. */
export interface SecretsOptions {
  readonly features: {
    isFeatureEnabled(projectId: string, feature: FeatureFlag): Promise<boolean>
    /** Throws 403 `feature_disabled` while the flag is off. */
    requireFeature(projectId: string, feature: FeatureFlag): Promise<void>
  }
  readonly repositories: Pick<Repositories, 'findRepository' | 'readDefaultManifest' | 'remotes'>
}

export interface Parts extends SecretsOptions {
  readonly kernel: Kernel
}
