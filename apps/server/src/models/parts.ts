import type { Tokens } from '../identity/index.ts'
import type { Kernel, OnStop } from '../kernel/kernel.ts'
import type { Projects } from '../projects/index.ts'
import type { Secrets } from '../secrets/index.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { OperatorModelsSource } from './providers/models-file.ts'
import type { Snapshots } from './snapshot.ts'

export interface ModelsOptions {
  readonly projects: Pick<Projects, 'findProject' | 'isFeatureEnabled' | 'requireFeature'>
  readonly secrets: Pick<Secrets, 'listDelivery' | 'readSecretValues'>
  readonly tokens: Tokens
  readonly publicUrl: () => string
  readonly onStop: OnStop
}

export interface Parts extends ModelsOptions {
  readonly kernel: Kernel
  readonly operator: OperatorModelsSource
  readonly snapshots: Snapshots
  readonly ledger: Ledger
}
