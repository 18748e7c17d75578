import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { asArray, asObject, type Json } from '../wire/json.ts'
import { answerGoogle } from './answer-google.ts'
import { answerResponses } from './answer-responses.ts'

export interface Received {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Json
  /** The body as it came. */
  readonly text: string
}

/** What an upstream does wrong, named by the model it is asked for: `status-429`, `cut`, `silent`, `malformed`, ... */
export interface FakeUpstream {
  readonly url: string
  readonly requests: Received[]
  /** Connections that the other side closed before the answer was whole. */
  aborted: number
  stop(): Promise<void>
}

/** A server that speaks the wires of OpenAI, Anthropic and Google, with faults on demand. */
export async function startFakeUpstream(): Promise<FakeUpstream> {
  const requests: Received[] = []
  const server = createServer((incoming, outgoing) => {
    void answer(incoming, outgoing).catch(() => outgoing.destroy())
  })
  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    const body = asObject(JSON.parse(text || '{}'))
    const path = incoming.url ?? ''
    requests.push({ path, headers: incoming.headers, body, text })
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) upstream.aborted += 1
    })
    const model = String(body.model)
    const status = /^status-(\d+)/.exec(model)?.[1]
    if (status !== undefined) {
      const headers = { 'content-type': 'application/json', ...(status === '429' ? { 'retry-after': '90' } : {}) }
      outgoing
        .writeHead(Number(status), headers)
        .end(JSON.stringify({ error: { message: `as asked: ${status} for ${incoming.headers.authorization}` } }))
      return
    }
    if (model === 'silent') return
    if (model === 'dies') return void outgoing.destroy()
    if (model === 'redirect') return void outgoing.writeHead(302, { location: `${upstream.url}/inside` }).end()
    if (model === 'malformed') return void outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{"a":')
    if (model === 'echo') return void (await echoKey(incoming, body, outgoing))
    if (path.includes('/v1beta/')) answerGoogle(path, body, outgoing)
    else if (path.endsWith('/messages')) await answerMessages(body, outgoing)
    else if (path.endsWith('/responses')) answerResponses(body, outgoing)
    else if (path.endsWith('/embeddings')) send(outgoing, embeddingAnswer)
    else await answerChat(body, outgoing)
  }
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const upstream: FakeUpstream = {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1`,
    requests,
    aborted: 0,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return upstream
}

export const usage = { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 40 } }
const wrongUsage = { prompt_tokens: -5, completion_tokens: 9e99, prompt_tokens_details: { cached_tokens: 'many' } }
/** As much as the model takes, whatever was sent. */
const fullUsage = { prompt_tokens: 10_000, completion_tokens: 20 }
const embeddingAnswer = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }],
  usage: { prompt_tokens: 8, total_tokens: 8 },
}

function send(outgoing: ServerResponse, body: object): void {
  outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Repeats what it was asked with, cut in the middle where it streams. */
async function echoKey({ headers }: IncomingMessage, body: Json, outgoing: ServerResponse): Promise<void> {
  const said = `asked with ${headers.authorization}`
  const head = { id: 'chatcmpl-1', created: 1, model: 'echo' }
  if (body.stream !== true) {
    const message = { role: 'assistant', content: said }
    send(outgoing, {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage,
    })
    return
  }
  const choices = [{ index: 0, delta: { role: 'assistant', content: said }, finish_reason: 'stop' }]
  const event = `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, usage })}\n\n`
  const middle = event.indexOf('Bearer ') + 12
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write(event.slice(0, middle))
  await sleep(20)
  outgoing.end(`${event.slice(middle)}data: [DONE]\n\n`)
}

async function answerChat(body: Json, outgoing: ServerResponse): Promise<void> {
  const { model } = body
  const head = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model }
  const given = model === 'broken-tool' ? '{"at":' : '{"at":"sky"}'
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: given } }
  const wantsTool = asArray(body.tools).length > 0
  if (body.stream !== true) {
    const message = { role: 'assistant', content: 'hello world', ...(wantsTool ? { tool_calls: [call] } : {}) }
    send(outgoing, {
      ...head,
      choices: [{ index: 0, message, finish_reason: wantsTool ? 'tool_calls' : 'stop' }],
      usage: { 'wrong-usage': wrongUsage, 'full-context': fullUsage }[String(model)] ?? usage,
    })
    return
  }
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  if (model === 'stream-error') return void outgoing.end(`data: ${JSON.stringify({ error: { message: 'no' } })}\n\n`)
  outgoing.write(chunk({ role: 'assistant', content: 'hello ' }))
  if (model === 'cut') {
    await sleep(20)
    outgoing.destroy()
    return
  }
  const pieces = { endless: 10_000, slow: 40 }[String(model)] ?? 0
  for (let at = 0; at < pieces && !outgoing.destroyed; at++) {
    outgoing.write(chunk({ content: 'more ' }))
    await sleep(25)
  }
  outgoing.write(chunk({ content: 'world' }))
  if (wantsTool) outgoing.write(chunk({ tool_calls: [{ index: 0, ...call }] }))
  outgoing.write(chunk({}, wantsTool ? 'tool_calls' : 'stop'))
  outgoing.write(`data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`)
  outgoing.end('data: [DONE]\n\n')
}

async function answerMessages(body: Json, outgoing: ServerResponse): Promise<void> {
  const told = { input_tokens: 60, cache_read_input_tokens: 40, cache_creation_input_tokens: 0, output_tokens: 20 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: body.model, stop_sequence: null }
  const tool = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'sky' } }
  const wantsTool = asArray(body.tools).length > 0
  const stop = wantsTool ? 'tool_use' : 'end_turn'
  if (body.stream !== true) {
    const content = [{ type: 'text', text: 'hello world' }, ...(wantsTool ? [tool] : [])]
    send(outgoing, { ...message, content, stop_reason: stop, usage: told })
    return
  }
  const event = (data: Json) => outgoing.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  event({
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, usage: { ...told, output_tokens: 1 } },
  })
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  for (const text of ['hello ', 'world']) {
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
  }
  event({ type: 'content_block_stop', index: 0 })
  if (wantsTool) {
    event({ type: 'content_block_start', index: 1, content_block: { ...tool, input: {} } })
    const delta = { type: 'input_json_delta', partial_json: '{"at":"sky"}' }
    event({ type: 'content_block_delta', index: 1, delta })
    event({ type: 'content_block_stop', index: 1 })
  }
  event({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 20 } })
  event({ type: 'message_stop' })
  outgoing.end()
}
