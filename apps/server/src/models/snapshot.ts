import { problem } from '../kernel/http/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { RefreshedModels, RefreshedModelsSource } from './catalog/refreshed-models.ts'
import type { ModelsOptions } from './options.ts'
import type { OperatorModels, OperatorModelsSource } from './providers/models-file.ts'
import { providersOf } from './providers/provider-set.ts'
import type { Budget, ServableModel } from './resolve.ts'
import { readRouting, type StoredRouting } from './routing/policy.ts'
import { listBudgets, readAccountDefault, readProjectModels } from './store.ts'

/** A provider that a project reaches with keys of its own. */
export interface Connection {
  readonly credentials: readonly string[]
  /** Where a provider of the project's own making is. */
  readonly baseUrl?: string
}

/** Everything that a call needs to know of a project, read together. */
export interface Snapshot {
  readonly projectId: string
  readonly accountId: string
  readonly operator: OperatorModels
  readonly refreshed: RefreshedModels
  readonly connections: ReadonlyMap<string, Connection>
  readonly routing: StoredRouting
  readonly disabledProviders: readonly string[]
  readonly modelOverrides: Readonly<Record<string, boolean>>
  readonly agentDefaults: Readonly<Record<string, string>>
  readonly projectDefault: string | null
  readonly accountDefault: string | null
  readonly budgets: readonly Budget[]
  /** How long prompts and answers are kept; null for not at all. */
  readonly promptDays: number | null
  /** Models resolved from this snapshot, so that a busy project resolves each once. */
  readonly resolved: Map<string, ServableModel>
}

export interface Snapshots {
  /** At most a second old. */
  read(projectId: string): Promise<Snapshot>
  /** The next read of it is fresh; for whoever changed something on this node. */
  forget(projectId: string): void
}

/** A busy project is read again before its snapshot ends, so that no call waits for it. */
const renewMs = 400
const keepMs = 900
const maxKept = 10_000

export function createSnapshots(
  kernel: Kernel,
  operator: OperatorModelsSource,
  refreshed: RefreshedModelsSource,
  options: Pick<ModelsOptions, 'projects' | 'secrets'>,
): Snapshots {
  const kept = new Map<string, Kept>()

  function start(projectId: string): Kept {
    const value = load(kernel, { operator: operator.current(), refreshed: refreshed.current() }, options, projectId)
    return { readAt: performance.now(), value, next: undefined }
  }

  /** What was forgotten meanwhile stays forgotten: the reading may be older than the change. */
  function renew(projectId: string, known: Kept): void {
    const next = start(projectId)
    known.next = next
    next.value.then(
      () => kept.get(projectId) === known && kept.set(projectId, next),
      () => {
        // The snapshot in hand ends by itself, and whoever needs one then meets the failure.
        known.next = undefined
      },
    )
  }

  return {
    read(projectId) {
      const known = kept.get(projectId)
      const ageMs = known ? performance.now() - known.readAt : keepMs
      if (known && ageMs < keepMs) {
        if (ageMs > renewMs && !known.next) renew(projectId, known)
        return known.value
      }
      if (kept.size >= maxKept) kept.clear()
      const fresh = start(projectId)
      kept.set(projectId, fresh)
      fresh.value.catch(() => kept.get(projectId) === fresh && kept.delete(projectId))
      return fresh.value
    },
    forget: (projectId) => void kept.delete(projectId),
  }
}

interface Kept {
  /** When the reading began. */
  readonly readAt: number
  readonly value: Promise<Snapshot>
  next: Kept | undefined
}

async function load(
  { database }: Kernel,
  { operator, refreshed }: Pick<Snapshot, 'operator' | 'refreshed'>,
  { projects, secrets }: Pick<ModelsOptions, 'projects' | 'secrets'>,
  projectId: string,
): Promise<Snapshot> {
  const project = await projects.findProject(projectId)
  if (!project) throw problem('not_found')
  const [settings, accountDefault, budgets, connections] = await Promise.all([
    readProjectModels(database.db, projectId),
    readAccountDefault(database.db, project.accountId),
    listBudgets(database.db, projectId),
    readConnections(secrets, operator, projectId),
  ])
  return {
    projectId,
    accountId: project.accountId,
    operator,
    refreshed,
    connections,
    routing: readRouting(settings?.routing),
    disabledProviders: settings?.disabledProviders ?? [],
    modelOverrides: settings?.modelOverrides ?? {},
    agentDefaults: settings?.agentDefaults ?? {},
    projectDefault: settings?.defaultModel ?? null,
    accountDefault,
    budgets,
    promptDays: settings?.promptDays ?? null,
    resolved: new Map(),
  }
}

const customName = /^LLM_([A-Z0-9][A-Z0-9_]*)_BASE_URL$/

/** Keys come from secrets that are for the gateway alone: one that a sandbox also sees is not used. */
async function readConnections(
  secrets: ModelsOptions['secrets'],
  operator: OperatorModels,
  projectId: string,
): Promise<ReadonlyMap<string, Connection>> {
  const delivered = await secrets.listDelivery(projectId)
  const names = new Set(
    delivered
      .filter(({ strategy, consumer }) => strategy === 'broker' && consumer === 'llm_gateway')
      .map(({ name }) => name),
  )
  const connections = new Map<string, Connection>()
  if (names.size === 0) return connections
  const values = async (name: string) =>
    (await secrets.readSecretValues(projectId, name))
      .filter(({ strategy, consumer }) => strategy === 'broker' && consumer === 'llm_gateway')
      .map(({ value }) => value.trim())
  for (const provider of providersOf(operator).values()) {
    const connected = provider.keyNames.filter((name) => names.has(name))
    if (connected.length === 0) continue
    const credentials = (await Promise.all(connected.map(values))).flat()
    connections.set(provider.id, { credentials })
  }
  for (const name of names) {
    const custom = customName.exec(name)?.[1]
    if (custom === undefined) continue
    const [baseUrl] = await values(name)
    if (baseUrl === undefined) continue
    const credentials = names.has(`LLM_${custom}_API_KEY`) ? await values(`LLM_${custom}_API_KEY`) : []
    connections.set(custom.toLowerCase().replaceAll('_', '-'), { credentials, baseUrl: baseUrl.replace(/\/+$/, '') })
  }
  return connections
}
