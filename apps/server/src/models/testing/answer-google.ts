import type { ServerResponse } from 'node:http'
import { asArray, asObject, asText, type Json } from '../wire/json.ts'

const usageMetadata = {
  promptTokenCount: 100,
  candidatesTokenCount: 15,
  thoughtsTokenCount: 5,
  cachedContentTokenCount: 40,
  totalTokenCount: 120,
}

/** Google's wire: the model and the method stand in the path, the key in a header of its own. */
export function answerGoogle(path: string, body: Json, outgoing: ServerResponse): void {
  const [, model = '', method] = /\/models\/([^:?]+):(\w+)/.exec(path) ?? []
  if (decodeURIComponent(model).includes('status-429')) {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }]
    const error = { code: 429, message: 'quota', status: 'RESOURCE_EXHAUSTED', details }
    outgoing.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify([{ error }]))
    return
  }
  if (method === 'batchEmbedContents') {
    const embeddings = asArray(body.requests).map(() => ({ values: [0.5, 0.25] }))
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ embeddings }))
    return
  }
  const isStream = method === 'streamGenerateContent'
  const tool = asText(asObject(asArray(asObject(asArray(body.tools)[0]).functionDeclarations)[0]).name)
  const call = { functionCall: { name: tool, args: { at: 'sky' } }, thoughtSignature: 'c2ln' }
  const head = { modelVersion: model, responseId: 'resp-1' }
  const piece = (parts: readonly Json[], more: Json = {}) => ({
    ...head,
    candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
    usageMetadata,
  })
  const thought = { text: 'hm', thought: true }
  const calls = tool === undefined ? [] : [call]
  if (!isStream) {
    const whole = piece([thought, { text: 'hello world' }, ...calls], { finishReason: 'STOP' })
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole))
    return
  }
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  const pieces = [piece([thought]), piece([{ text: 'hello ' }]), piece([{ text: 'world' }, ...calls])]
  for (const one of [...pieces, piece([], { finishReason: 'STOP' })]) {
    outgoing.write(`data: ${JSON.stringify(one)}\r\n\r\n`)
  }
  outgoing.end()
}
