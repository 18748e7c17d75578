import type { ServerResponse } from 'node:http'
import { asArray, asObject, type Json } from '../wire/json.ts'

const usage = { input_tokens: 100, input_tokens_details: { cached_tokens: 40 }, output_tokens: 20, total_tokens: 120 }

/** OpenAI's responses as a subscription serves them: streams only, keeps nothing, and refuses what it does not know. */
export function answerResponses(body: Json, outgoing: ServerResponse): void {
  const refused = ['max_output_tokens', 'temperature', 'top_p', 'messages'].find((name) => name in body)
  const missing = body.stream !== true || body.store !== false || typeof body.instructions !== 'string'
  if (refused !== undefined || missing) {
    const detail =
      refused === undefined ? 'stream, store: false and instructions are needed' : `Unsupported: ${refused}`
    outgoing.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message: detail } }))
    return
  }
  const tool = asObject(asArray(body.tools)[0])
  const response = {
    id: 'resp_1',
    object: 'response',
    model: body.model,
    error: null,
    status: 'in_progress',
    output: [],
  }
  const text = { type: 'output_text', text: 'hello world', annotations: [] }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [text] }
  const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: tool.name, arguments: '{"at":"sky"}' }
  let sequence_number = -1
  const event = (type: string, fields: Json) => {
    sequence_number += 1
    outgoing.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`)
  }
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  if (body.model === 'responses-fail') {
    event('response.failed', { response: { ...response, status: 'failed', error: { code: 'x', message: 'no room' } } })
    outgoing.end()
    return
  }
  event('response.created', { response })
  event('response.output_item.added', { output_index: 0, item: { ...message, content: [] } })
  for (const delta of ['hello ', 'world']) {
    event('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta })
  }
  event('response.output_item.done', { output_index: 0, item: message })
  if (tool.name !== undefined) {
    event('response.output_item.added', { output_index: 1, item: { ...call, arguments: '' } })
    for (const delta of ['{"at":', '"sky"}']) {
      event('response.function_call_arguments.delta', { item_id: 'fc_1', output_index: 1, delta })
    }
    event('response.output_item.done', { output_index: 1, item: call })
  }
  event('response.completed', { response: { ...response, status: 'completed', usage } })
  outgoing.end()
}
