import { randomUUID } from 'node:crypto'
import { asArray, asCount, asObject, asText, compact, type Json, tryParse } from './json.ts'
import type { SseEvent } from './sse.ts'
import { textOf } from './text-of.ts'
import type { StreamTranslator, Translation } from './translation.ts'
import { chatUsage, mergeUsage, readUsage } from './usage.ts'

/** A client that speaks OpenAI's chat, an upstream that speaks Anthropic's messages. */
export function chatToAnthropic(defaultMaxTokens: number): Translation {
  return { request: (body) => toMessages(body, defaultMaxTokens), answer: toCompletion, stream: createStream }
}

function toMessages(body: Json, defaultMaxTokens: number): Json {
  const messages = asArray(body.messages).map(asObject)
  const system = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => textOf(content))
    .join('\n\n')
  const tools = asArray(body.tools).map((tool) => toTool(asObject(asObject(tool).function)))
  return compact({
    model: body.model,
    max_tokens: asCount(body.max_completion_tokens) || asCount(body.max_tokens) || defaultMaxTokens,
    system: system === '' ? undefined : system,
    messages: joinTurns(messages.filter(({ role }) => role !== 'system' && role !== 'developer').map(toTurn)),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? toToolChoice(body.tool_choice) : undefined,
    temperature: typeof body.temperature === 'number' ? Math.min(1, body.temperature) : undefined,
    top_p: body.top_p ?? undefined,
    stop_sequences: body.stop === undefined || body.stop === null ? undefined : [body.stop].flat(),
    stream: body.stream ?? undefined,
    metadata: typeof body.user === 'string' ? { user_id: body.user } : undefined,
  })
}

function toTool({ name, description, parameters }: Json): Json {
  return compact({ name, description, input_schema: parameters ?? { type: 'object', properties: {} } })
}

function toToolChoice(choice: unknown): Json | undefined {
  if (choice === 'none') return { type: 'none' }
  if (choice === 'required') return { type: 'any' }
  const name = asText(asObject(asObject(choice).function).name)
  return name === undefined ? undefined : { type: 'tool', name }
}

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Json[]
}

function toTurn(message: Json): Turn {
  if (message.role === 'tool') {
    const result = { type: 'tool_result', tool_use_id: message.tool_call_id, content: textOf(message.content) }
    return { role: 'user', content: [result] }
  }
  const calls = asArray(message.tool_calls).map((call) => {
    const { id, function: called } = asObject(call)
    const { name, arguments: given } = asObject(called)
    return { type: 'tool_use', id, name, input: asObject(tryParse(asText(given) ?? '{}')) }
  })
  const role = message.role === 'assistant' ? 'assistant' : 'user'
  return { role, content: [...toBlocks(message.content), ...calls] }
}

/** The upstream refuses two turns of one side in a row, and empty ones. */
function joinTurns(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = []
  for (const turn of turns) {
    if (turn.content.length === 0) continue
    const last = joined.at(-1)
    if (last?.role !== turn.role) joined.push(turn)
    else joined[joined.length - 1] = { role: last.role, content: [...last.content, ...turn.content] }
  }
  return joined
}

function toBlocks(content: unknown): Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return asArray(content).flatMap((part): Json[] => {
    const { type, text, image_url } = asObject(part)
    if (type === 'image_url') return [{ type: 'image', source: toSource(asText(asObject(image_url).url) ?? '') }]
    return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : []
  })
}

function toSource(url: string): Json {
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url)
  if (!inline) return { type: 'url', url }
  return { type: 'base64', media_type: inline[1], data: inline[2] }
}

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

function toCompletion(body: Json): Json {
  const blocks = asArray(body.content).map(asObject)
  const text = blocks.filter(({ type }) => type === 'text').map(({ text: part }) => part)
  const thinking = blocks.filter(({ type }) => type === 'thinking').map(({ thinking: part }) => part)
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input ?? {}) },
    }))
  const message = compact({
    role: 'assistant',
    content: text.length > 0 ? text.join('') : null,
    reasoning_content: thinking.length > 0 ? thinking.join('') : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
  })
  const finish = finishReasons[asText(body.stop_reason) ?? ''] ?? 'stop'
  return {
    id: body.id ?? `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1_000),
    model: body.model,
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    usage: chatUsage(readUsage(body)),
  }
}

function createStream(): StreamTranslator {
  const created = Math.floor(Date.now() / 1_000)
  let head: Json = { id: `chatcmpl-${randomUUID()}`, object: 'chat.completion.chunk', created }
  let usage: ReturnType<typeof readUsage>
  let calls = -1
  const chunk = (delta: Json, finish: string | null = null): SseEvent => ({
    data: JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] }),
  })

  function translate(event: Json): SseEvent[] {
    usage = mergeUsage(usage, readUsage(event))
    if (event.type === 'message_start') {
      const { id, model } = asObject(event.message)
      head = { ...head, ...compact({ id, model }) }
      return [chunk({ role: 'assistant', content: '' })]
    }
    if (event.type === 'content_block_start') {
      const { type, id, name } = asObject(event.content_block)
      if (type !== 'tool_use') return []
      calls += 1
      return [chunk({ tool_calls: [{ index: calls, id, type: 'function', function: { name, arguments: '' } }] })]
    }
    if (event.type === 'content_block_delta') return translateDelta(asObject(event.delta))
    if (event.type === 'message_delta') {
      const reason = asText(asObject(event.delta).stop_reason)
      return reason === undefined ? [] : [chunk({}, finishReasons[reason] ?? 'stop')]
    }
    if (event.type !== 'message_stop') return []
    return [{ data: JSON.stringify({ ...head, choices: [], usage: chatUsage(usage) }) }, { data: '[DONE]' }]
  }

  function translateDelta(delta: Json): SseEvent[] {
    if (delta.type === 'text_delta') return [chunk({ content: delta.text })]
    if (delta.type === 'thinking_delta') return [chunk({ reasoning_content: delta.thinking })]
    if (delta.type !== 'input_json_delta') return []
    return [chunk({ tool_calls: [{ index: calls, function: { arguments: delta.partial_json } }] })]
  }

  return { push: ({ data }) => translate(asObject(tryParse(data))), end: () => [] }
}
