import type { ModelInfo } from '@svc/contract'
import type { z } from 'zod'
import type { ModelFacts, ServableModel } from '../resolve.ts'

export function toModelInfo(model: ModelFacts): z.input<typeof ModelInfo> {
  const { name, provider, description, price, contextTokens, outputTokens } = model
  return {
    name,
    provider,
    ...(description === undefined ? {} : { description }),
    free: price !== undefined && price.input === 0 && price.output === 0,
    tool_call: model.callsTools,
    reasoning: model.reasons,
    attachment: model.acceptsImages,
    limit: { context: contextTokens, output: outputTokens },
    ...(price === undefined
      ? {}
      : {
          cost: {
            input: price.input,
            output: price.output,
            cache_read: price.cacheRead,
            cache_write: price.cacheWrite,
          },
        }),
    modalities: { input: model.acceptsImages ? ['text', 'image'] : ['text'], output: ['text'] },
  }
}

export function toModelInfos(models: readonly ServableModel[]) {
  return Object.fromEntries(models.map((model) => [model.wireId, toModelInfo(model)]))
}
