import { noUsage, type Usage } from '../catalog/price.ts'
import { asArray, asCount, asObject, isObject, type Json, tryParse } from './json.ts'

/** The usage in a whole answer or in one event of a stream, in whichever protocol; undefined where there is none. */
export function readUsage(document: unknown): Usage | undefined {
  const { usage, message, response, output, usageMetadata } = asObject(document)
  if (isObject(usageMetadata)) return readGoogle(usageMetadata)
  const found = [usage, asObject(message).usage, asObject(response).usage].find(isObject)
  if (!found) return undefined
  if ('prompt_tokens' in found) return readChat(found)
  const searches = countSearches(output) + countSearches(asObject(response).output)
  return searches === 0 ? readNamed(found) : { ...readNamed(found), webSearches: searches }
}

/** OpenAI tells what its tools did in the answer, not in its usage. */
function countSearches(output: unknown): number {
  return asArray(output).filter((item) => asObject(item).type === 'web_search_call').length
}

function readChat(usage: Json): Usage {
  const details = asObject(usage.prompt_tokens_details)
  return {
    inputTokens: asCount(usage.prompt_tokens),
    outputTokens: asCount(usage.completion_tokens),
    cachedTokens: asCount(details.cached_tokens),
    cacheWriteTokens: asCount(details.cache_write_tokens),
    audioInputTokens: asCount(details.audio_tokens),
    audioOutputTokens: asCount(asObject(usage.completion_tokens_details).audio_tokens),
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
    cacheWriteHourTokens: asCount(asObject(usage.cache_creation).ephemeral_1h_input_tokens),
    webSearches: asCount(asObject(usage.server_tool_use).web_search_requests),
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
    audioInputTokens: ofModality(usage.promptTokensDetails, 'AUDIO'),
    audioOutputTokens: ofModality(usage.candidatesTokensDetails, 'AUDIO'),
    imageOutputTokens: ofModality(usage.candidatesTokensDetails, 'IMAGE'),
  }
}

function ofModality(details: unknown, modality: string): number {
  const counts = asArray(details).map(asObject)
  return counts.reduce((sum, row) => sum + (row.modality === modality ? asCount(row.tokenCount) : 0), 0)
}

function reported({ cost }: Json): Pick<Usage, 'reportedCost'> {
  return typeof cost === 'number' && cost >= 0 && Number.isFinite(cost) ? { reportedCost: cost } : {}
}

type Apart = 'cacheWriteHourTokens' | 'audioInputTokens' | 'audioOutputTokens' | 'imageOutputTokens' | 'webSearches'

/** A stream tells its usage in several events; later ones repeat or raise what earlier ones said. */
export function mergeUsage(known: Usage | undefined, next: Usage | undefined): Usage | undefined {
  if (!known || !next) return next ?? known
  const cost = next.reportedCost ?? known.reportedCost
  const most = (name: Apart) => Math.max(known[name] ?? 0, next[name] ?? 0)
  return {
    inputTokens: Math.max(known.inputTokens, next.inputTokens),
    outputTokens: Math.max(known.outputTokens, next.outputTokens),
    cachedTokens: Math.max(known.cachedTokens, next.cachedTokens),
    cacheWriteTokens: Math.max(known.cacheWriteTokens, next.cacheWriteTokens),
    cacheWriteHourTokens: most('cacheWriteHourTokens'),
    audioInputTokens: most('audioInputTokens'),
    audioOutputTokens: most('audioOutputTokens'),
    imageOutputTokens: most('imageOutputTokens'),
    webSearches: most('webSearches'),
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
