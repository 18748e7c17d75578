import type { CatalogRow } from '../providers/models-file.ts'
import type { ModelFacts } from '../resolve.ts'
import { describeKnown } from './known-models.ts'
import { findListedPrice, readContextWindow } from './listed-prices.ts'
import { fillRates, type Price } from './price.ts'

interface Named {
  readonly provider: string
  /** The provider in the price data. */
  readonly priceId: string
  readonly model: string
}

/** Limits, abilities and price of a model: what the operator says, else what the bundled data says. */
export function describeModel({ provider, priceId, model }: Named, row: CatalogRow | undefined, at: Date): ModelFacts {
  const known = describeKnown(model)
  return {
    name: row?.name ?? known.name ?? model,
    provider,
    description: row?.description,
    contextTokens: row?.context ?? readContextWindow(priceId, model) ?? known.context,
    outputTokens: row?.output ?? known.output,
    acceptsImages: row?.images ?? known.images,
    callsTools: row?.tools ?? known.tools,
    reasons: row?.reasoning ?? known.reasoning,
    price: operatorPrice(row, at) ?? findListedPrice(priceId, model, at),
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
