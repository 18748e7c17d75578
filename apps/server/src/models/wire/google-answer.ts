import { randomUUID } from 'node:crypto'
import { asArray, asObject, asText, compact, type Json, tryParse } from './json.ts'
import type { SseEvent } from './sse.ts'
import type { StreamTranslator } from './translation.ts'
import { chatUsage, mergeUsage, readUsage } from './usage.ts'

const refusals = ['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE', 'IMAGE_SAFETY']

/** Undefined while the answer goes on. A prompt that was refused as a whole has no candidate at all. */
function finishOf(body: Json, hasCalls: boolean): string | undefined {
  const reason = asText(asObject(asArray(body.candidates)[0]).finishReason)
  if (reason === undefined) return asText(asObject(body.promptFeedback).blockReason) ? 'content_filter' : undefined
  if (refusals.includes(reason)) return 'content_filter'
  if (reason === 'MAX_TOKENS') return 'length'
  return hasCalls ? 'tool_calls' : 'stop'
}

interface Said {
  readonly text: string
  readonly thought: string
  readonly calls: readonly Json[]
}

function readParts(body: Json): Said {
  const parts = asArray(asObject(asObject(asArray(body.candidates)[0]).content).parts).map(asObject)
  const texts = parts.filter(({ text }) => typeof text === 'string')
  const join = (chosen: readonly Json[]) => chosen.map(({ text }) => text).join('')
  return {
    text: join(texts.filter(({ thought }) => thought !== true)),
    thought: join(texts.filter(({ thought }) => thought === true)),
    calls: parts.flatMap((part) => toToolCall(part)),
  }
}

/** The signature travels with the call: the upstream wants it back with the result. */
function toToolCall({ functionCall, thoughtSignature }: Json): Json[] {
  if (typeof functionCall !== 'object' || functionCall === null) return []
  const { id, name, args } = asObject(functionCall)
  const call = {
    id: asText(id) ?? `call_${randomUUID().replaceAll('-', '')}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args ?? {}) },
    extra_content: thoughtSignature === undefined ? undefined : { google: { thought_signature: thoughtSignature } },
  }
  return [compact(call)]
}

export function toCompletion(body: Json, model: string): Json {
  const { text, thought, calls } = readParts(body)
  const message = compact({
    role: 'assistant',
    content: text === '' ? null : text,
    reasoning_content: thought === '' ? undefined : thought,
    tool_calls: calls.length > 0 ? calls : undefined,
  })
  const finish = finishOf(body, calls.length > 0) ?? 'stop'
  return {
    id: asText(body.responseId) ?? `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1_000),
    model: asText(body.modelVersion) ?? model,
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    usage: chatUsage(readUsage(body)),
  }
}

export function createGoogleStream(model: string): StreamTranslator {
  const created = Math.floor(Date.now() / 1_000)
  let head: Json = { id: `chatcmpl-${randomUUID()}`, object: 'chat.completion.chunk', created, model }
  let usage: ReturnType<typeof readUsage>
  let callCount = 0
  let hasStarted = false
  let hasFinished = false
  const chunk = (delta: Json, finish: string | null = null): SseEvent => ({
    data: JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] }),
  })

  function translate(body: Json): SseEvent[] {
    usage = mergeUsage(usage, readUsage(body))
    const events: SseEvent[] = []
    if (!hasStarted) {
      hasStarted = true
      head = { ...head, ...compact({ id: asText(body.responseId), model: asText(body.modelVersion) }) }
      events.push(chunk({ role: 'assistant', content: '' }))
    }
    const { text, thought, calls } = readParts(body)
    if (thought !== '') events.push(chunk({ reasoning_content: thought }))
    if (text !== '') events.push(chunk({ content: text }))
    for (const call of calls) {
      events.push(chunk({ tool_calls: [{ index: callCount, ...call }] }))
      callCount += 1
    }
    const finish = hasFinished ? undefined : finishOf(body, callCount > 0)
    if (finish === undefined) return events
    hasFinished = true
    return [...events, chunk({}, finish)]
  }

  return {
    push: ({ data }) => translate(asObject(tryParse(data))),
    // The upstream says no last word of its own; one that never told why it ended was cut off.
    end: () =>
      hasFinished
        ? [{ data: JSON.stringify({ ...head, choices: [], usage: chatUsage(usage) }) }, { data: '[DONE]' }]
        : [],
  }
}
