import type { Tokens } from '../identity/index.ts'
import type { OnStop } from '../kernel/kernel.ts'
import type { Projects } from '../projects/index.ts'
import type { Secrets } from '../secrets/index.ts'

export interface ModelsOptions {
  readonly projects: Pick<Projects, 'findProject' | 'isFeatureEnabled' | 'requireFeature'>
  readonly secrets: Pick<Secrets, 'listDelivery' | 'readSecretValues'>
  readonly tokens: Tokens
  readonly publicUrl: () => string
  readonly onStop: OnStop
}
