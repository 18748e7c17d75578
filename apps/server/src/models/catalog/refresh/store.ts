import { desc, sql } from 'drizzle-orm'
import type { DrizzleTransaction } from '../../../kernel/database/index.ts'
import { catalogModels, catalogPrices, catalogState } from '../../schema.ts'
import type { Db } from '../../store.ts'
import type { CatalogEntry, RefreshRecord, StoredEntry } from './records.ts'

/** Everything that was ever fetched, each with its latest price. */
export async function readEntries(db: Db): Promise<StoredEntry[]> {
  const rows = await db.select().from(catalogModels)
  const prices = await db
    .selectDistinctOn([catalogPrices.provider, catalogPrices.model])
    .from(catalogPrices)
    .orderBy(catalogPrices.provider, catalogPrices.model, desc(catalogPrices.effectiveFrom))
  const latest = new Map(prices.map((row) => [`${row.provider} ${row.model}`, row]))
  return rows.map(({ provider, model, facts, goneAt }) => {
    const priced = latest.get(`${provider} ${model}`)
    return { provider, model, facts, isGone: goneAt !== null, price: priced?.price, pricedFrom: priced?.effectiveFrom }
  })
}

/** One refresh after another: whoever holds the row alone changes the catalog. */
export async function lockCatalog(db: DrizzleTransaction): Promise<void> {
  await db.select().from(catalogState).for('update')
}

export async function readState(db: Db) {
  const [state] = await db.select().from(catalogState)
  return { refreshedAt: state?.refreshedAt ?? null, lastRefresh: state?.lastRefresh ?? null }
}

export interface CatalogChange {
  /** New ones and those that changed. */
  readonly written: readonly CatalogEntry[]
  /** Those whose price begins now. */
  readonly repriced: readonly CatalogEntry[]
  readonly gone: readonly Pick<CatalogEntry, 'provider' | 'model'>[]
}

export async function storeChange(db: DrizzleTransaction, change: CatalogChange, at: Date): Promise<void> {
  const now = at.toISOString()
  const { written, repriced, gone } = change
  if (written.length > 0) {
    const rows = JSON.stringify(written.map(({ provider, model, facts }) => ({ provider, model, facts })))
    await db.execute(sql`
      insert into svc.catalog_models (provider, model, facts, changed_at)
      select provider, model, facts, ${now}::timestamptz
      from jsonb_to_recordset(${rows}::jsonb) as given (provider text, model text, facts jsonb)
      on conflict (provider, model) do update set facts = excluded.facts, changed_at = excluded.changed_at, gone_at = null`)
  }
  if (repriced.length > 0) {
    const rows = JSON.stringify(repriced.map(({ provider, model, price }) => ({ provider, model, price })))
    await db.execute(sql`
      insert into svc.catalog_prices (provider, model, effective_from, price)
      select provider, model, ${now}::timestamptz, price
      from jsonb_to_recordset(${rows}::jsonb) as given (provider text, model text, price jsonb)
      on conflict (provider, model, effective_from) do update set price = excluded.price`)
  }
  if (gone.length > 0) {
    const rows = JSON.stringify(gone.map(({ provider, model }) => ({ provider, model })))
    await db.execute(sql`
      update svc.catalog_models known set gone_at = ${now}::timestamptz
      from jsonb_to_recordset(${rows}::jsonb) as given (provider text, model text)
      where known.provider = given.provider and known.model = given.model`)
  }
}

/** What was tried last; what counted last stays when it failed. */
export async function storeRefresh(db: DrizzleTransaction, record: RefreshRecord): Promise<void> {
  await db.update(catalogState).set({ lastRefresh: record, ...(record.ok ? { refreshedAt: new Date(record.at) } : {}) })
}
