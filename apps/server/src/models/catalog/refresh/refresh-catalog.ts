import { z } from 'zod'
import { type Actor, systemActor } from '../../../kernel/actor.ts'
import { Problem } from '../../../kernel/http/index.ts'
import { defineJob, defineSchedule } from '../../../kernel/jobs/index.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { bundledVersion } from '../listed-prices.ts'
import { catalogRefreshed, type RefreshedModelsSource } from '../refreshed-models.ts'
import { compareEntries } from './compare-entries.ts'
import { fetchDocument } from './fetch-document.ts'
import type { CatalogDocument } from './read-document.ts'
import type { RefreshRecord } from './records.ts'
import { lockCatalog, readEntries, readState, storeChange, storeRefresh } from './store.ts'

interface CatalogParts {
  readonly kernel: Kernel
  readonly refreshed: RefreshedModelsSource
}

/** How fresh the catalog is, as the operator sees it. */
export async function readCatalogState({ kernel, refreshed }: CatalogParts) {
  const { refreshedAt, lastRefresh } = await readState(kernel.database.db)
  const { providerCount, modelCount } = refreshed.current()
  return {
    source: shownSource(kernel),
    schedule: kernel.config.modelCatalogRefresh,
    bundled: bundledVersion,
    providers: providerCount,
    models: modelCount,
    refreshed_at: refreshedAt?.toISOString() ?? null,
    last_refresh: lastRefresh,
  }
}

/** Fetches the catalog and writes down what it changes. Safe to repeat: the same document changes nothing. */
export async function refreshCatalog(parts: CatalogParts, actor: Actor) {
  const { kernel, refreshed } = parts
  try {
    const document = await fetchDocument(kernel)
    await storeDocument(kernel, actor, document)
  } catch (error) {
    if (Problem.isInstance(error)) await storeFailure(kernel, actor, error)
    throw error
  }
  await refreshed.load()
  return readCatalogState(parts)
}

async function storeDocument(kernel: Kernel, actor: Actor, document: CatalogDocument): Promise<void> {
  await kernel.database.transact(actor, async (tx) => {
    await lockCatalog(tx.db)
    const at = kernel.clock.now()
    const { added, changed, repriced, gone, leftOut } = compareEntries(document, await readEntries(tx.db))
    await storeChange(tx.db, { written: [...added, ...changed], repriced, gone }, at)
    const counts = {
      added: added.length,
      changed: changed.length,
      repriced: repriced.length,
      gone: gone.length,
      left_out: leftOut.length,
    }
    const record = { ...counts, ok: true, problem: null, left_out_entries: leftOut.slice(0, shownEntries) }
    await storeRefresh(tx.db, { at: at.toISOString(), ...record })
    await tx.audit({ ...event, outcome: 'success', metadata: { source: shownSource(kernel), ...counts } })
    await tx.publish(catalogRefreshed.event({}))
  })
}

async function storeFailure(kernel: Kernel, actor: Actor, { message }: Problem): Promise<void> {
  const record: RefreshRecord = {
    at: kernel.clock.now().toISOString(),
    ok: false,
    problem: message,
    ...{ added: 0, changed: 0, repriced: 0, gone: 0, left_out: 0, left_out_entries: [] },
  }
  await kernel.database.transact(actor, async (tx) => {
    await storeRefresh(tx.db, record)
    await tx.audit({ ...event, outcome: 'failure', metadata: { source: shownSource(kernel), problem: message } })
  })
}

const shownEntries = 20
const event = { action: 'operator.catalog.refresh', resourceType: 'model_catalog' }

/** A query may hold a key. */
function shownSource({ config }: Kernel): string {
  const { origin, pathname } = new URL(config.modelCatalogUrl)
  return origin + pathname
}

/** Every day, at a minute of its own, where the operator asked for it. */
export function catalogRefreshing(parts: CatalogParts) {
  const job = defineJob({
    name: 'models.refresh-catalog',
    payload: z.object({}),
    maxAttempts: 3,
    async run(_, { attempt, maxAttempts, log }) {
      try {
        await refreshCatalog(parts, systemActor)
      } catch (error) {
        // The operator sees it with the catalog; tomorrow is another day.
        if (!Problem.isInstance(error) || attempt < maxAttempts) throw error
        log.warn('the model catalog was not refreshed', { error })
      }
    },
  })
  const schedule = defineSchedule({ name: 'models.refresh-catalog', cron: '23 4 * * *', job, payload: {} })
  return { job, schedules: parts.kernel.config.modelCatalogRefresh === 'daily' ? [schedule] : [] }
}
