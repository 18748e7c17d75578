import type { ModelInfo } from '@svc/contract'
import type { z } from 'zod'
import type { ModelFacts, ServableModel } from '../resolve.ts'
import type { Price } from './price.ts'
import type { CatalogFacts } from './refresh/records.ts'

export function toModelInfo(model: ModelFacts): z.input<typeof ModelInfo> {
  const { name, provider, description, price, contextTokens, outputTokens, catalog } = model
  return {
    name,
    provider,
    ...(description === undefined ? {} : { description }),
    free: price !== undefined && price.input === 0 && price.output === 0,
    tool_call: model.callsTools,
    reasoning: model.reasons,
    attachment: model.acceptsImages,
    limit: {
      context: contextTokens,
      ...(catalog?.limit?.input ? { input: catalog.limit.input } : {}),
      output: outputTokens,
    },
    ...(price === undefined
      ? {}
      : {
          cost: {
            input: price.input,
            output: price.output,
            cache_read: price.cacheRead,
            cache_write: price.cacheWrite,
            ...(price.tiers.length > 0 ? { tiers: price.tiers.map(toTier) } : {}),
          },
        }),
    modalities: catalog?.modalities ?? {
      input: model.acceptsImages ? ['text', 'image'] : ['text'],
      output: ['text'],
    },
    ...(catalog ? moreOf(catalog) : {}),
  }
}

function toTier({ input, output, cacheRead, cacheWrite, aboveTokens }: Price['tiers'][number]) {
  const tier = { type: 'context' as const, size: aboveTokens }
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite, tier }
}

/** What the fetched catalog alone tells. */
function moreOf(facts: CatalogFacts) {
  const { temperature, structured_output, reasoning_options, family, release_date, last_updated } = facts
  const { knowledge, open_weights } = facts
  const more = { temperature, structured_output, reasoning_options, family, release_date, last_updated }
  return { ...more, knowledge, open_weights }
}

export function toModelInfos(models: readonly ServableModel[]) {
  return Object.fromEntries(models.map((model) => [model.wireId, toModelInfo(model)]))
}
