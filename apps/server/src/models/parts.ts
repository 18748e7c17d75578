import type { Kernel } from '../kernel/kernel.ts'
import type { RefreshedModelsSource } from './catalog/refreshed-models.ts'
import type { ProviderHealth } from './gateway/provider-health.ts'
import type { UpstreamPools } from './gateway/upstream-pools.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { ModelsOptions } from './options.ts'
import type { PromptStore } from './prompts/prompt-store.ts'
import type { OperatorModelsSource } from './providers/models-file.ts'
import type { Snapshots } from './snapshot.ts'

export interface Parts extends ModelsOptions {
  readonly kernel: Kernel
  readonly operator: OperatorModelsSource
  readonly refreshed: RefreshedModelsSource
  readonly snapshots: Snapshots
  readonly ledger: Ledger
  readonly pools: UpstreamPools
  readonly health: ProviderHealth
  readonly prompts: PromptStore
}
