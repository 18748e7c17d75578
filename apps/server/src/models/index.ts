import type { Capability } from '../kernel/capability.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { catalogRefreshing } from './catalog/refresh/refresh-catalog.ts'
import { createRefreshedModels } from './catalog/refreshed-models.ts'
import { readSessionCost, type SessionCost } from './costs/session-cost.ts'
import { providerCheck } from './gateway/check-providers.ts'
import { createGateway } from './gateway/gateway.ts'
import { createProviderHealth } from './gateway/provider-health.ts'
import { createUpstreamPools } from './gateway/upstream-pools.ts'
import { journalCheck } from './ledger/check-journal.ts'
import { createLedger } from './ledger/ledger.ts'
import type { ModelsOptions } from './options.ts'
import type { Parts } from './parts.ts'
import { createPromptStore } from './prompts/prompt-store.ts'
import { promptCleaning } from './prompts/retention.ts'
import { withLocalModels } from './providers/find-local.ts'
import { readOperatorModels } from './providers/models-file.ts'
import { disabledBy, listModels } from './resolve-model.ts'
import { modelRoutes } from './routes.ts'
import { defaultModelOf } from './routing/choose-route.ts'
import { createSnapshots } from './snapshot.ts'

export type { SessionCost } from './costs/session-cost.ts'
export { createGatewayAlias } from './gateway/rewrite-path.ts'
export { scriptedModelId } from './scripted/index.ts'

/** A model as runtimes are told about it. Prices are USD per million tokens. */
export interface ServedModel {
  readonly id: string
  readonly name: string
  readonly contextTokens: number
  readonly outputTokens: number
  readonly inputPrice: number
  readonly outputPrice: number
  readonly acceptsImages: boolean
}

export interface Models extends Capability {
  /** What the agents of a project can choose from, its default first. */
  listServed(projectId: string): Promise<readonly ServedModel[]>
  /** What the models of a session have cost. */
  readSessionCost(sessionId: string): Promise<SessionCost>
  /** Before anybody is served: writes down what a killed process had begun. */
  repair(): Promise<void>
}

/** Models as agents reach them: the gateway, what it costs, and how projects choose. */
export function createModels(kernel: Kernel, options: ModelsOptions): Models {
  const operator = withLocalModels(readOperatorModels(kernel.config.modelsFile, kernel.log), options.onStop)
  const cleaning = promptCleaning(kernel)
  const refreshed = createRefreshedModels(kernel)
  const refreshing = catalogRefreshing({ kernel, refreshed })
  const parts: Parts = {
    ...options,
    kernel,
    operator,
    refreshed,
    snapshots: createSnapshots(kernel, operator, refreshed, options),
    ledger: createLedger({
      transact: kernel.database.transact,
      dataDir: kernel.config.dataDir,
      log: kernel.log,
      onStop: options.onStop,
    }),
    pools: createUpstreamPools(kernel, options.onStop),
    health: createProviderHealth(kernel.clock),
    prompts: createPromptStore(kernel, options.onStop),
  }
  return {
    routes: modelRoutes(parts, createGateway(parts)),
    jobs: [cleaning.job, refreshing.job],
    schedules: [cleaning.schedule, ...refreshing.schedules],
    checks: [providerCheck(parts.health), journalCheck(parts.ledger)],
    listServed: (projectId) => listServed(parts, projectId),
    readSessionCost: (sessionId) => readSessionCost(parts, sessionId),
    async repair() {
      await parts.ledger.repair()
      await refreshed.load()
      void operator.look()
    },
  }
}

async function listServed(parts: Parts, projectId: string): Promise<ServedModel[]> {
  const snapshot = await parts.snapshots.read(projectId)
  const first = defaultModelOf(snapshot).model
  return listModels(snapshot)
    .filter(({ wireId, callsTools }) => callsTools && disabledBy(snapshot, wireId) === undefined)
    .sort((a, b) => Number(b.wireId === first) - Number(a.wireId === first))
    .map((model) => ({
      id: model.wireId,
      name: model.name,
      contextTokens: model.contextTokens,
      outputTokens: model.outputTokens,
      inputPrice: model.price?.input ?? 0,
      outputPrice: model.price?.output ?? 0,
      acceptsImages: model.acceptsImages,
    }))
}
