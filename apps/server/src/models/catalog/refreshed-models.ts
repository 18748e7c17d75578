import { z } from 'zod'
import { defineTopic } from '../../kernel/events/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { findListedPrice, listPricedModels } from './listed-prices.ts'
import { fillRates, type Price } from './price.ts'
import type { CatalogPrice, StoredEntry } from './refresh/records.ts'
import { readEntries } from './refresh/store.ts'

/** The fetched catalog in memory, by the names that the bundled price data has for providers. */
export interface RefreshedModels {
  find(priceId: string, model: string): StoredEntry | undefined
  /** Models of a provider that are offered now. */
  list(priceId: string): readonly string[]
  readonly providerCount: number
  readonly modelCount: number
}

export const catalogRefreshed = defineTopic('models.catalog-refreshed', z.object({}))

/** Providers that the catalog calls otherwise than the bundled price data does. */
const otherNames: Readonly<Record<string, string>> = {
  'x-ai': 'xai',
  together: 'togetherai',
  fireworks: 'fireworks-ai',
}

export const nothingRefreshed: RefreshedModels = indexEntries([])

export interface RefreshedModelsSource {
  current(): RefreshedModels
  /** Reads what is stored; what was known before counts until then. */
  load(): Promise<void>
}

const tryAgainMs = 1_000

/** What any node fetched counts on all of them within a second. */
export function createRefreshedModels(
  kernel: Pick<Kernel, 'database' | 'events' | 'clock' | 'log'>,
): RefreshedModelsSource {
  const { database, events, clock, log } = kernel
  let known = nothingRefreshed
  let begun = 0
  let shown = 0

  async function load(): Promise<void> {
    begun += 1
    const mine = begun
    const read = indexEntries(await readEntries(database.db))
    // A reading that began earlier and ended later may be older.
    if (mine < shown) return
    shown = mine
    known = read
  }
  async function loadAgain(): Promise<void> {
    try {
      await load()
    } catch (error) {
      log.warn('the model catalog could not be read again; what was known of it counts', { error })
      clock.setTimer(tryAgainMs, () => void loadAgain())
    }
  }
  events.subscribe(catalogRefreshed, loadAgain, { onGap: loadAgain })
  return { current: () => known, load }
}

function indexEntries(entries: readonly StoredEntry[]): RefreshedModels {
  const providers = new Map<string, Map<string, StoredEntry>>()
  for (const entry of entries) {
    const models = providers.get(entry.provider) ?? new Map<string, StoredEntry>()
    providers.set(entry.provider, models.set(entry.model, entry))
  }
  const modelsOf = (priceId: string) => providers.get(otherNames[priceId] ?? priceId)
  const isOffered = ({ isGone, facts }: StoredEntry) => !isGone && facts.status !== 'deprecated'
  return {
    find: (priceId, model) => modelsOf(priceId)?.get(model),
    list: (priceId) => [...(modelsOf(priceId)?.values() ?? [])].filter(isOffered).map(({ model }) => model),
    providerCount: providers.size,
    modelCount: entries.filter(({ isGone }) => !isGone).length,
  }
}

/** What the bundled data says of a model of the fetched catalog, if it has one of exactly this name. */
export function findBundledPrice(provider: string, model: string, at: Date = new Date()): Price | undefined {
  const priceId = Object.keys(otherNames).find((id) => otherNames[id] === provider) ?? provider
  return listPricedModels(priceId).some(({ id }) => id === model) ? findListedPrice(priceId, model, at) : undefined
}

/**
 * A fetched price as calls are charged by it. What the catalog does not tell (fees, pictures, tiers of the same rates)
 * stays as the bundled data has it.
 */
export function toPrice({ price, pricedFrom }: StoredEntry, bundled: Price | undefined): Price | undefined {
  if (price === undefined || pricedFrom === undefined) return undefined
  const rates = { ...fillRates(price), outputImage: bundled?.outputImage }
  return {
    ...rates,
    fees: bundled?.fees,
    tiers: price.tiers.length > 0 ? tiersOf(price) : tiersOfSame(rates, bundled),
    version: `catalog@${pricedFrom.toISOString()}`,
  }
}

function tiersOf({ input, output, tiers }: CatalogPrice): Price['tiers'] {
  return tiers.map(({ above, ...own }) => ({ ...fillRates({ input, output, ...own }), aboveTokens: above }))
}

function tiersOfSame({ input, output }: Pick<Price, 'input' | 'output'>, bundled: Price | undefined): Price['tiers'] {
  return bundled && bundled.input === input && bundled.output === output ? bundled.tiers : []
}
