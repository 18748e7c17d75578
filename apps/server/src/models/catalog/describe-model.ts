import type { CatalogRow } from '../providers/models-file.ts'
import type { ModelFacts } from '../resolve.ts'
import { describeKnown } from './known-models.ts'
import { findListedPrice, readContextWindow } from './listed-prices.ts'
import { fillRates, type Price } from './price.ts'
import { type RefreshedModels, toPrice } from './refreshed-models.ts'

interface Named {
  readonly provider: string
  /** The provider in the price data. */
  readonly priceId: string
  readonly model: string
}

/** Limits, abilities and price of a model: what the operator says, else the fetched catalog, else the bundled data. */
export function describeModel(
  { provider, priceId, model }: Named,
  row: CatalogRow | undefined,
  refreshed: RefreshedModels,
  at: Date,
): ModelFacts {
  const known = describeKnown(model)
  const fetched = refreshed.find(priceId, model)
  const facts = fetched?.facts
  const bundled = findListedPrice(priceId, model, at)
  return {
    name: row?.name ?? facts?.name ?? known.name ?? model,
    provider,
    description: row?.description,
    // A catalog writes 0 where it does not know.
    contextTokens: row?.context ?? (facts?.limit?.context || readContextWindow(priceId, model) || known.context),
    outputTokens: row?.output ?? (facts?.limit?.output || known.output),
    acceptsImages: row?.images ?? facts?.modalities?.input.includes('image') ?? known.images,
    callsTools: row?.tools ?? facts?.tool_call ?? known.tools,
    reasons: row?.reasoning ?? facts?.reasoning ?? known.reasoning,
    price: operatorPrice(row, at) ?? (fetched && toPrice(fetched, bundled)) ?? bundled,
    ...(facts ? { catalog: facts } : {}),
  }
}

/** The latest of the operator's prices that has begun. */
function operatorPrice(row: CatalogRow | undefined, at: Date): Price | undefined {
  const day = at.toISOString().slice(0, 10)
  const dated = row?.costs?.filter(({ from }) => from <= day).sort((a, b) => (a.from < b.from ? 1 : -1))[0]
  if (dated) return { ...fillRates(dated), fees: feesOf(dated), tiers: [], version: `operator@${dated.from}` }
  return row?.cost && { ...fillRates(row.cost), fees: feesOf(row.cost), tiers: [], version: 'operator' }
}

type Cost = NonNullable<CatalogRow['cost']>

function feesOf({ calls, web_searches }: Cost): Price['fees'] {
  return { calls, webSearches: web_searches }
}
