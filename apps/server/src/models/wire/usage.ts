import { noUsage, type Usage } from '../catalog/price.ts'
import { asCount, asObject, isObject, type Json, tryParse } from './json.ts'

/** The usage in a whole answer or in one event of a stream, in whichever protocol; undefined where there is none. */
export function readUsage(document: unknown): Usage | undefined {
  const { usage, message, response, usageMetadata } = asObject(document)
  if (isObject(usageMetadata)) return readGoogle(usageMetadata)
  const found = [usage, asObject(message).usage, asObject(response).usage].find(isObject)
  if (!found) return undefined
  return 'prompt_tokens' in found ? readChat(found) : readNamed(found)
}

function readChat(usage: Json): Usage {
  const details = asObject(usage.prompt_tokens_details)
  return {
    inputTokens: asCount(usage.prompt_tokens),
    outputTokens: asCount(usage.completion_tokens),
    cachedTokens: asCount(details.cached_tokens),
    cacheWriteTokens: asCount(details.cache_write_tokens),
    ...reported(usage),
  }
}

/** Anthropic counts cached tokens beside the input, OpenAI's responses inside it. */
function readNamed(usage: Json): Usage {
  const isAnthropic = 'cache_read_input_tokens' in usage || 'cache_creation_input_tokens' in usage
  const read = asCount(usage.cache_read_input_tokens)
  const written = asCount(usage.cache_creation_input_tokens)
  return {
    inputTokens: asCount(usage.input_tokens) + read + written,
    outputTokens: asCount(usage.output_tokens),
    cachedTokens: isAnthropic ? read : asCount(asObject(usage.input_tokens_details).cached_tokens),
    cacheWriteTokens: written,
    ...reported(usage),
  }
}

/** Thinking is counted beside the answer, and what tools brought beside the prompt. */
function readGoogle(usage: Json): Usage {
  return {
    inputTokens: asCount(usage.promptTokenCount) + asCount(usage.toolUsePromptTokenCount),
    outputTokens: asCount(usage.candidatesTokenCount) + asCount(usage.thoughtsTokenCount),
    cachedTokens: asCount(usage.cachedContentTokenCount),
    cacheWriteTokens: 0,
  }
}

function reported({ cost }: Json): Pick<Usage, 'reportedCost'> {
  return typeof cost === 'number' && cost >= 0 && Number.isFinite(cost) ? { reportedCost: cost } : {}
}

/** A stream tells its usage in several events; later ones repeat or raise what earlier ones said. */
export function mergeUsage(known: Usage | undefined, next: Usage | undefined): Usage | undefined {
  if (!known || !next) return next ?? known
  const cost = next.reportedCost ?? known.reportedCost
  return {
    inputTokens: Math.max(known.inputTokens, next.inputTokens),
    outputTokens: Math.max(known.outputTokens, next.outputTokens),
    cachedTokens: Math.max(known.cachedTokens, next.cachedTokens),
    cacheWriteTokens: Math.max(known.cacheWriteTokens, next.cacheWriteTokens),
    ...(cost === undefined ? {} : { reportedCost: cost }),
  }
}

/** Only events that mention usage are parsed: most of a stream passes unread. */
export function readEventUsage(data: string): Usage | undefined {
  return data.includes('"usage') ? readUsage(tryParse(data)) : undefined
}

export function chatUsage(usage: Usage | undefined): Json {
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens } = usage ?? noUsage
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
  }
}
