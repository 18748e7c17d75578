import { randomUUID } from 'node:crypto'
import { asArray, asObject, asText, compact, type Json, tryParse } from './json.ts'
import type { SseEvent } from './sse.ts'
import { textOf } from './text-of.ts'
import type { StreamTranslator, Translation } from './translation.ts'
import { mergeUsage, readUsage } from './usage.ts'

/** A client that speaks OpenAI's responses, an upstream that speaks its chat. Nothing is stored between calls. */
export const responsesToChat: Translation = { request: toChat, answer: toResponse, stream: createStream }

function toChat(body: Json): Json {
  const instructions = asText(body.instructions)
  const tools = asArray(body.tools)
    .map(asObject)
    .filter(({ type }) => type === 'function')
    .map(({ name, description, parameters, strict }) => ({
      type: 'function',
      function: compact({ name, description, parameters, strict: strict ?? undefined }),
    }))
  const choice = asObject(body.tool_choice)
  return compact({
    model: body.model,
    messages: [
      ...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
      ...(typeof body.input === 'string'
        ? [{ role: 'user', content: body.input }]
        : asArray(body.input).flatMap((item) => toMessages(asObject(item)))),
    ],
    max_tokens: body.max_output_tokens ?? undefined,
    temperature: body.temperature ?? undefined,
    top_p: body.top_p ?? undefined,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice:
      choice.type === 'function' ? { type: 'function', function: { name: choice.name } } : asText(body.tool_choice),
    reasoning_effort: asObject(body.reasoning).effort ?? undefined,
    stream: body.stream ?? undefined,
    stream_options: body.stream === true ? { include_usage: true } : undefined,
  })
}

function toMessages(item: Json): Json[] {
  if (item.type === 'function_call') {
    const call = { id: item.call_id, type: 'function', function: { name: item.name, arguments: item.arguments } }
    return [{ role: 'assistant', content: null, tool_calls: [call] }]
  }
  if (item.type === 'function_call_output') {
    return [{ role: 'tool', tool_call_id: item.call_id, content: textOf(item.output) }]
  }
  if (typeof item.content === 'string') return [{ role: item.role, content: item.content }]
  if (!Array.isArray(item.content)) return []
  const parts = item.content.map(asObject).flatMap(({ type, text, image_url }): Json[] => {
    if (type === 'input_image') return [{ type: 'image_url', image_url: { url: image_url } }]
    return typeof text === 'string' ? [{ type: 'text', text }] : []
  })
  return [{ role: item.role, content: item.role === 'assistant' ? textOf(parts) : parts }]
}

interface Output {
  readonly id: string
  readonly model: unknown
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: unknown; readonly arguments: string }[]
  readonly usage: ReturnType<typeof readUsage>
  readonly isCut: boolean
}

function toResponse(body: Json): Json {
  const choice = asObject(asArray(body.choices)[0])
  const message = asObject(choice.message)
  const calls = asArray(message.tool_calls).map((call) => {
    const { id, function: called } = asObject(call)
    const { name, arguments: given } = asObject(called)
    return { id: asText(id) ?? '', name, arguments: asText(given) ?? '{}' }
  })
  const isCut = choice.finish_reason === 'length'
  return writeResponse({
    id: newId('resp'),
    model: body.model,
    text: textOf(message.content),
    calls,
    usage: readUsage(body),
    isCut,
  })
}

const newId = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '')}`

function writeResponse({ id, model, text, calls, usage, isCut }: Output, status?: string): Json {
  const input = usage?.inputTokens ?? 0
  const output = usage?.outputTokens ?? 0
  return {
    id,
    object: 'response',
    created_at: Math.floor(Date.now() / 1_000),
    status: status ?? (isCut ? 'incomplete' : 'completed'),
    error: null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    model,
    output: [
      ...(text === '' ? [] : [writeMessage(`msg_${id}`, text)]),
      ...calls.map((call, at) => writeCall(`fc_${id}_${at}`, call)),
    ],
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: usage?.cachedTokens ?? 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  }
}

function writeMessage(id: string, text: string, status = 'completed'): Json {
  const content = status === 'completed' ? [{ type: 'output_text', text, annotations: [] }] : []
  return { id, type: 'message', role: 'assistant', status, content }
}

function writeCall(id: string, call: Output['calls'][number], status = 'completed'): Json {
  return { id, type: 'function_call', call_id: call.id, name: call.name, arguments: call.arguments, status }
}

function createStream(): StreamTranslator {
  const id = newId('resp')
  let model: unknown
  let text = ''
  let usage: ReturnType<typeof readUsage>
  let isCut = false
  let sequence = -1
  let hasStarted = false
  let hasText = false
  let hasEnded = false
  const calls: { id: string; name: unknown; arguments: string }[] = []
  const messageId = `msg_${id}`
  const response = (status?: string) => writeResponse({ id, model, text, calls, usage, isCut }, status)
  const event = (type: string, fields: Json): SseEvent => {
    sequence += 1
    return { event: type, data: JSON.stringify({ type, sequence_number: sequence, ...fields }) }
  }
  const callIndex = (at: number) => at + (hasText ? 1 : 0)

  function translate(chunk: Json): SseEvent[] {
    usage = mergeUsage(usage, readUsage(chunk))
    model ??= chunk.model
    const events: SseEvent[] = []
    if (!hasStarted) {
      hasStarted = true
      events.push(event('response.created', { response: { ...response('in_progress'), output: [] } }))
    }
    const choice = asObject(asArray(chunk.choices)[0])
    const delta = asObject(choice.delta)
    const piece = asText(delta.content)
    if (piece) events.push(...addText(piece))
    for (const call of asArray(delta.tool_calls)) events.push(...addCall(asObject(call)))
    if (choice.finish_reason === 'length') isCut = true
    return events
  }

  function addText(piece: string): SseEvent[] {
    const at = { item_id: messageId, output_index: 0, content_index: 0 }
    const begun: SseEvent[] = []
    if (!hasText) {
      hasText = true
      begun.push(
        event('response.output_item.added', { output_index: 0, item: writeMessage(messageId, '', 'in_progress') }),
      )
      begun.push(
        event('response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [] } }),
      )
    }
    text += piece
    return [...begun, event('response.output_text.delta', { ...at, delta: piece, logprobs: [] })]
  }

  function addCall({ id: callId, function: called }: Json): SseEvent[] {
    const { name, arguments: piece } = asObject(called)
    const events: SseEvent[] = []
    if (typeof callId === 'string' && callId !== '') {
      const call = { id: callId, name, arguments: '' }
      calls.push(call)
      const at = calls.length - 1
      const item = writeCall(`fc_${id}_${at}`, call, 'in_progress')
      events.push(event('response.output_item.added', { output_index: callIndex(at), item }))
    }
    const at = calls.length - 1
    const current = calls[at]
    if (!current || typeof piece !== 'string' || piece === '') return events
    current.arguments += piece
    const where = { item_id: `fc_${id}_${at}`, output_index: callIndex(at) }
    return [...events, event('response.function_call_arguments.delta', { ...where, delta: piece })]
  }

  function end(): SseEvent[] {
    if (hasEnded || !hasStarted) return []
    hasEnded = true
    const events: SseEvent[] = []
    if (hasText) {
      const at = { item_id: messageId, output_index: 0, content_index: 0 }
      const part = { type: 'output_text', text, annotations: [] }
      events.push(event('response.output_text.done', { ...at, text, logprobs: [] }))
      events.push(event('response.content_part.done', { ...at, part }))
      events.push(event('response.output_item.done', { output_index: 0, item: writeMessage(messageId, text) }))
    }
    calls.forEach((call, at) => {
      const where = { item_id: `fc_${id}_${at}`, output_index: callIndex(at) }
      events.push(event('response.function_call_arguments.done', { ...where, arguments: call.arguments }))
      events.push(
        event('response.output_item.done', { output_index: callIndex(at), item: writeCall(where.item_id, call) }),
      )
    })
    return [...events, event(isCut ? 'response.incomplete' : 'response.completed', { response: response() })]
  }

  return { push: ({ data }) => (data === '[DONE]' ? end() : translate(asObject(tryParse(data)))), end }
}
