import { z } from 'zod'
import { isObject } from '../../wire/json.ts'
import type { CatalogEntry, CatalogPrice, LeftOut } from './records.ts'

/** Documents in the format of models.dev: providers by name, each with its models by name. */

const tokens = z.number().int().min(0).max(100_000_000)
/** Dollars for a million tokens. Beyond the limit somebody took another unit. */
const rate = z.number().min(0).max(100_000)
const wording = z.string().min(1).max(200).optional().catch(undefined)
const trait = z.boolean().optional().catch(undefined)
const knownKinds = new Set(['text', 'image', 'audio', 'video', 'pdf'])
const kinds = z
  .array(z.string())
  .max(16)
  .transform((given) => given.filter((kind) => knownKinds.has(kind)))

const rates = {
  input: rate.optional(),
  output: rate.optional(),
  cache_read: rate.optional(),
  cache_write: rate.optional(),
  input_audio: rate.optional(),
  output_audio: rate.optional(),
}

const Cost = z.object({
  ...rates,
  input: rate,
  output: rate,
  tiers: z
    .array(z.object({ ...rates, tier: z.object({ type: z.string(), size: tokens }) }))
    .max(16)
    .optional(),
  context_over_200k: z.object(rates).optional(),
})

const Entry = z.object({
  name: wording,
  family: wording,
  attachment: trait,
  reasoning: trait,
  tool_call: trait,
  temperature: trait,
  structured_output: trait,
  open_weights: trait,
  knowledge: wording,
  release_date: wording,
  last_updated: wording,
  status: wording,
  reasoning_options: z
    .array(
      z.object({
        type: z.string().max(64),
        values: z.array(z.string().max(64)).max(32).optional(),
        min: z.number().optional(),
        max: z.number().optional(),
      }),
    )
    .max(16)
    .optional()
    .catch(undefined),
  modalities: z.object({ input: kinds, output: kinds }).optional(),
  limit: z.object({ context: tokens.optional(), input: tokens.optional(), output: tokens.optional() }).optional(),
  cost: Cost.optional(),
})

export interface CatalogDocument {
  readonly entries: readonly CatalogEntry[]
  readonly leftOut: readonly LeftOut[]
}

export const maxEntries = 20_000
const readAtOnce = 100
const providerName = /^[a-z0-9][a-z0-9._-]{0,63}$/
const modelName = /^[\x21-\x7e]{1,128}$/

/** What a document says, entry by entry; a sentence when it says nothing that could be used. */
export async function readDocument(document: unknown): Promise<CatalogDocument | string> {
  if (!isObject(document)) return 'It is no JSON object with providers in it.'
  const entries: CatalogEntry[] = []
  const leftOut: LeftOut[] = []
  for (const [provider, row] of Object.entries(document)) {
    if (!isObject(row) || !isObject(row.models) || !providerName.test(provider)) {
      leftOut.push({ entry: show(provider), reason: 'is no provider with models' })
      continue
    }
    for (const [model, value] of Object.entries(row.models)) {
      const count = entries.length + leftOut.length
      // Now and then, so that nobody who is being served waits for the whole catalog.
      if (count % readAtOnce === 0) await new Promise((resolve) => setImmediate(resolve))
      if (count >= maxEntries) return `It has more than ${maxEntries} entries.`
      const read = readEntry(provider, model, value)
      if ('reason' in read) leftOut.push(read)
      else entries.push(read)
    }
  }
  if (entries.length === 0) return 'It has no model that could be read.'
  if (leftOut.length > entries.length) return `Most of its entries make no sense, such as ${explain(leftOut[0])}.`
  return { entries, leftOut }
}

function readEntry(provider: string, model: string, value: unknown): CatalogEntry | LeftOut {
  const entry = show(`${provider}/${model}`)
  if (!modelName.test(model)) return { entry, reason: 'its name cannot be used' }
  const parsed = Entry.safeParse(value)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return { entry, reason: `${issue?.path.join('.') || 'the entry'}: ${issue?.message ?? 'is not valid'}` }
  }
  const { cost, ...facts } = parsed.data
  return { provider, model, facts: withoutUndefined(facts), price: cost && toPrice(cost) }
}

function toPrice({ tiers: given = [], context_over_200k: over, ...base }: z.output<typeof Cost>): CatalogPrice {
  const tiers = given
    .filter(({ tier }) => tier.type === 'context')
    .map(({ tier, ...own }) => ({ ...own, above: tier.size }))
  if (tiers.length === 0 && over) tiers.push({ ...over, above: 200_000 })
  const sorted = tiers.sort((a, b) => a.above - b.above).map(withoutUndefined)
  return { ...withoutUndefined(base), tiers: sorted }
}

/** As it comes back from the database, so that what did not change is found to be the same. */
function withoutUndefined<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}

function show(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)
}

function explain(one: LeftOut | undefined): string {
  return one ? `${one.entry} (${one.reason})` : 'none'
}
