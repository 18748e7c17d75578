import { randomUUID } from 'node:crypto'
import { asArray, asObject, asText, compact, type Json, tryParse } from './json.ts'
import type { SseEvent } from './sse.ts'
import { textOf } from './text-of.ts'
import type { StreamTranslator, Translation } from './translation.ts'
import { mergeUsage, readUsage } from './usage.ts'

/** A client that speaks Anthropic's messages, an upstream that speaks OpenAI's chat. */
export const messagesToChat: Translation = { request: toChat, answer: toMessage, stream: createStream }

function toChat(body: Json): Json {
  const system = textOf(body.system)
  const tools = asArray(body.tools).map((tool) => {
    const { name, description, input_schema } = asObject(tool)
    return { type: 'function', function: compact({ name, description, parameters: input_schema }) }
  })
  return compact({
    model: body.model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...asArray(body.messages).flatMap((message) => toChatMessages(asObject(message))),
    ],
    max_tokens: body.max_tokens,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? toToolChoice(asObject(body.tool_choice)) : undefined,
    temperature: body.temperature,
    top_p: body.top_p,
    stop: body.stop_sequences,
    stream: body.stream,
    stream_options: body.stream === true ? { include_usage: true } : undefined,
  })
}

function toToolChoice({ type, name }: Json): unknown {
  if (type === 'any') return 'required'
  if (type === 'none') return 'none'
  return type === 'tool' ? { type: 'function', function: { name } } : undefined
}

function toChatMessages({ role, content }: Json): Json[] {
  if (typeof content === 'string') return [{ role, content }]
  const blocks = asArray(content).map(asObject)
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map((block) => ({ role: 'tool', tool_call_id: block.tool_use_id, content: textOf(block.content) }))
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input ?? {}) },
    }))
  const parts = blocks.flatMap(toPart)
  if (role === 'assistant') {
    const text = textOf(parts)
    const message = { role, content: text === '' ? null : text, tool_calls: calls.length > 0 ? calls : undefined }
    return [compact(message)]
  }
  return [...results, ...(parts.length > 0 ? [{ role: 'user', content: parts }] : [])]
}

function toPart({ type, text, source }: Json): Json[] {
  if (type === 'text') return [{ type: 'text', text }]
  if (type !== 'image') return []
  const { type: kind, media_type, data, url } = asObject(source)
  return [{ type: 'image_url', image_url: { url: kind === 'base64' ? `data:${media_type};base64,${data}` : url } }]
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

function toMessage(body: Json): Json {
  const choice = asObject(asArray(body.choices)[0])
  const message = asObject(choice.message)
  const text = textOf(message.content)
  const calls = asArray(message.tool_calls).map((call) => {
    const { id, function: called } = asObject(call)
    const { name, arguments: given } = asObject(called)
    return { type: 'tool_use', id, name, input: asObject(tryParse(asText(given) ?? '{}')) }
  })
  return {
    id: `msg_${randomUUID().replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [...(text === '' ? [] : [{ type: 'text', text }]), ...calls],
    stop_reason: stopReasons[asText(choice.finish_reason) ?? ''] ?? 'end_turn',
    stop_sequence: null,
    usage: anthropicUsage(readUsage(body)),
  }
}

function anthropicUsage(usage: ReturnType<typeof readUsage>): Json {
  const cached = usage?.cachedTokens ?? 0
  const written = usage?.cacheWriteTokens ?? 0
  return {
    input_tokens: Math.max(0, (usage?.inputTokens ?? 0) - cached - written),
    output_tokens: usage?.outputTokens ?? 0,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
  }
}

function createStream(): StreamTranslator {
  let usage: ReturnType<typeof readUsage>
  let hasStarted = false
  let hasEnded = false
  let stopReason = 'end_turn'
  let index = -1
  let open: string | undefined
  const named = (event: Json): SseEvent => ({ event: String(event.type), data: JSON.stringify(event) })

  function translate(chunk: Json): SseEvent[] {
    usage = mergeUsage(usage, readUsage(chunk))
    const events = hasStarted ? [] : [start(chunk)]
    const choice = asObject(asArray(chunk.choices)[0])
    const delta = asObject(choice.delta)
    const text = asText(delta.content)
    if (text) events.push(...openBlock('text', { type: 'text', text: '' }), deltaOf({ type: 'text_delta', text }))
    for (const call of asArray(delta.tool_calls)) events.push(...translateCall(asObject(call)))
    const finish = asText(choice.finish_reason)
    if (finish !== undefined) stopReason = stopReasons[finish] ?? 'end_turn'
    return events
  }

  function start({ model }: Json): SseEvent {
    hasStarted = true
    const message = { ...toMessage({ model }), stop_reason: null, content: [] }
    return named({ type: 'message_start', message })
  }

  function translateCall({ index: at, id, function: called }: Json): SseEvent[] {
    const { name, arguments: piece } = asObject(called)
    const events =
      typeof id === 'string' ? openBlock(`call ${at}`, { type: 'tool_use', id, name, input: {} }) : ([] as SseEvent[])
    return piece ? [...events, deltaOf({ type: 'input_json_delta', partial_json: piece })] : events
  }

  function openBlock(kind: string, block: Json): SseEvent[] {
    if (open === kind) return []
    const closed = closeBlock()
    open = kind
    index += 1
    return [...closed, named({ type: 'content_block_start', index, content_block: block })]
  }

  function closeBlock(): SseEvent[] {
    if (open === undefined) return []
    open = undefined
    return [named({ type: 'content_block_stop', index })]
  }

  const deltaOf = (delta: Json) => named({ type: 'content_block_delta', index, delta })

  function end(): SseEvent[] {
    if (hasEnded || !hasStarted) return []
    hasEnded = true
    const delta = { stop_reason: stopReason, stop_sequence: null }
    return [
      ...closeBlock(),
      named({ type: 'message_delta', delta, usage: anthropicUsage(usage) }),
      named({ type: 'message_stop' }),
    ]
  }

  return { push: ({ data }) => (data === '[DONE]' ? end() : translate(asObject(tryParse(data)))), end }
}
