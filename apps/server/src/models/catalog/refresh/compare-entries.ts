import { isDeepStrictEqual } from 'node:util'
import { findBundledPrice } from '../refreshed-models.ts'
import type { CatalogDocument } from './read-document.ts'
import type { CatalogEntry, LeftOut, StoredEntry } from './records.ts'

/** What a fetched catalog changes of the one that is known. */
export function compareEntries({ entries, leftOut: unread }: CatalogDocument, known: readonly StoredEntry[]) {
  const before = new Map(known.map((entry) => [keyOf(entry), entry]))
  const added: CatalogEntry[] = []
  const changed: CatalogEntry[] = []
  const repriced: CatalogEntry[] = []
  const leftOut: LeftOut[] = [...unread]
  const seen = new Set<string>()
  for (const entry of entries) {
    const old = before.get(keyOf(entry))
    seen.add(keyOf(entry))
    if (isSuddenlyFree(entry, old) || isFreeAbove(entry)) {
      leftOut.push({
        entry: `${entry.provider}/${entry.model}`,
        reason: 'is free all at once; what was known of it stays',
      })
      continue
    }
    const isRepriced = entry.price !== undefined && !isDeepStrictEqual(entry.price, old?.price)
    if (isRepriced) repriced.push(entry)
    if (!old) added.push(entry)
    else if (isRepriced || old.isGone || !isDeepStrictEqual(entry.facts, old.facts)) changed.push(entry)
  }
  const isLeftOut = new Set(leftOut.map(({ entry }) => entry))
  const gone = known.filter(
    (entry) => !entry.isGone && !seen.has(keyOf(entry)) && !isLeftOut.has(`${entry.provider}/${entry.model}`),
  )
  return { added, changed, repriced, gone, leftOut }
}

function keyOf({ provider, model }: Pick<CatalogEntry, 'provider' | 'model'>): string {
  return `${provider} ${model}`
}

/** The same for long prompts of a model that has a price for short ones. */
function isFreeAbove({ price }: CatalogEntry): boolean {
  if (price === undefined || price.input + price.output === 0) return false
  return price.tiers.some(({ input = price.input, output = price.output }) => input + output === 0)
}

/** More likely a mistake than a gift: with it, budgets would hold nothing. The models file can make a model free. */
function isSuddenlyFree({ provider, model, price }: CatalogEntry, old: StoredEntry | undefined): boolean {
  if (price === undefined || price.input + price.output > 0) return false
  const cost = old?.price ?? findBundledPrice(provider, model)
  return cost !== undefined && cost.input + cost.output > 0
}
