import { randomUUID } from 'node:crypto'
import { asArray, asObject, asText, compact, type Json, tryParse } from './json.ts'
import { createSseReader, type SseEvent } from './sse.ts'
import type { StreamTranslator } from './translation.ts'
import { chatUsage, readUsage } from './usage.ts'

/** A whole response as OpenAI's chat has it. */
export function toCompletion(body: Json): Json {
  const output = asArray(body.output).map(asObject)
  const calls = output
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id, name, arguments: given }) => ({
      id: call_id,
      type: 'function',
      function: { name, arguments: given },
    }))
  const parts = output.filter(({ type }) => type === 'message').flatMap(({ content }) => asArray(content).map(asObject))
  const text = parts.filter(({ type }) => type === 'output_text').map(({ text: part }) => part)
  const refusals = parts.filter(({ type }) => type === 'refusal').map(({ refusal }) => refusal)
  const thoughts = output
    .filter(({ type }) => type === 'reasoning')
    .flatMap(({ summary }) => asArray(summary).map((part) => asText(asObject(part).text) ?? ''))
  const message = compact({
    role: 'assistant',
    content: text.length > 0 ? text.join('') : null,
    refusal: refusals.length > 0 ? refusals.join('') : undefined,
    reasoning_content: thoughts.length > 0 ? thoughts.join('\n') : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
  })
  return {
    id: body.id ?? `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1_000),
    model: body.model,
    choices: [{ index: 0, message, finish_reason: finishOf(body, calls.length), logprobs: null }],
    usage: chatUsage(readUsage(body)),
  }
}

function finishOf({ incomplete_details }: Json, calls: number): string {
  const { reason } = asObject(incomplete_details)
  if (reason === 'content_filter') return 'content_filter'
  if (reason !== undefined) return 'length'
  return calls > 0 ? 'tool_calls' : 'stop'
}

const endings = ['response.completed', 'response.incomplete', 'response.failed']

/** The response that a stream of them ends with; some upstreams tell its items only as they come. */
export function readLastResponse(bytes: Buffer): Json | undefined {
  const events = createSseReader()
    .push(bytes)
    .map(({ data }) => asObject(tryParse(data)))
  const last = events.findLast(({ type }) => endings.includes(String(type)))
  if (!last) return undefined
  const response = asObject(last.response)
  if (asArray(response.output).length > 0) return response
  const items = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
  return { ...response, output: items }
}

/** The events of a response as chunks of OpenAI's chat. */
export function createResponsesStream(): StreamTranslator {
  let head: Json = {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1_000),
  }
  /** Which call of the message each item of the response is. */
  const calls = new Map<unknown, { readonly index: number; hasArguments: boolean }>()
  const chunk = (delta: Json, finish: string | null = null): SseEvent => ({
    data: JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] }),
  })
  const addArguments = (at: unknown, piece: unknown): SseEvent[] => {
    const call = calls.get(at)
    if (!call || typeof piece !== 'string' || piece === '') return []
    call.hasArguments = true
    return [chunk({ tool_calls: [{ index: call.index, function: { arguments: piece } }] })]
  }

  function translate(event: Json): SseEvent[] {
    const item = asObject(event.item)
    switch (event.type) {
      case 'response.created': {
        const { id, model } = asObject(event.response)
        head = { ...head, ...compact({ id, model }) }
        return [chunk({ role: 'assistant', content: '' })]
      }
      case 'response.output_text.delta':
        return [chunk({ content: event.delta })]
      case 'response.refusal.delta':
        return [chunk({ refusal: event.delta })]
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return [chunk({ reasoning_content: event.delta })]
      case 'response.output_item.added': {
        if (item.type !== 'function_call') return []
        const index = calls.size
        calls.set(event.output_index, { index, hasArguments: false })
        const called = { name: item.name, arguments: '' }
        return [chunk({ tool_calls: [{ index, id: item.call_id, type: 'function', function: called }] })]
      }
      case 'response.function_call_arguments.delta':
        return addArguments(event.output_index, event.delta)
      case 'response.output_item.done':
        return calls.get(event.output_index)?.hasArguments ? [] : addArguments(event.output_index, item.arguments)
      case 'response.completed':
      case 'response.incomplete': {
        const response = asObject(event.response)
        const told = { ...head, choices: [], usage: chatUsage(readUsage(event)) }
        return [chunk({}, finishOf(response, calls.size)), { data: JSON.stringify(told) }, { data: '[DONE]' }]
      }
      default:
        return []
    }
  }

  return { push: ({ data }) => translate(asObject(tryParse(data))), end: () => [] }
}
