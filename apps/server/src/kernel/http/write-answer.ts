import { type IncomingMessage, type ServerResponse, validateHeaderValue } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type AnyOperation, type ByteSource, isPayload, type ServerEvent } from '@svc/contract'
import { Answer } from './answer.ts'
import { streamEvents } from './stream-events.ts'

export type Headers = Record<string, string | string[]>

interface Writing {
  readonly operation: AnyOperation
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** Headers every response of this request carries; owned by the caller, extended here. */
  readonly headers: Headers
}

/** Sends what a handler returned. Documents go out in one piece; bytes and events stream straight to the socket. */
export function writeAnswer(returned: unknown, writing: Writing): Response | Promise<Response> {
  const { operation, headers, incoming } = writing
  const result = returned instanceof Answer ? returned : undefined
  const body = result ? result.body : returned
  const status = result?.status ?? operation.status
  if (result) addHeaders(headers, result.headers)

  if (isPayload(operation.returns)) return writePayload(body, status, writing)
  if (isUnchanged(incoming, headers)) return respond(null, 304, headers)
  headers['content-type'] ??= 'application/json; charset=utf-8'
  return respond(JSON.stringify(body), status, headers)
}

function writePayload(body: unknown, status: number, writing: Writing): Response | Promise<Response> {
  const { operation, headers, incoming } = writing
  const payload = operation.returns
  if (!isPayload(payload) || payload.kind === 'nothing') return respond(null, status, headers)
  if (payload.kind === 'relayed') return RESPONSE_ALREADY_SENT
  if (payload.kind === 'redirect') {
    addHeaders(headers, { location: body as string })
    return respond(null, status, headers)
  }
  if (isUnchanged(incoming, headers)) return respond(null, 304, headers)
  if (payload.kind === 'events') return streamEvents(body as AsyncIterable<ServerEvent>, writing.outgoing, headers)
  if (payload.kind === 'text' || payload.kind === 'bytes') headers['content-type'] ??= contentType(payload)
  if (typeof body === 'string' || body instanceof Uint8Array) return respond(body, status, headers)
  return streamBytes(body as Exclude<ByteSource, string | Uint8Array>, status, writing)
}

/** A value that HTTP does not carry is a fault of ours, met here and not halfway through the answer. */
function addHeaders(headers: Headers, added: Readonly<Headers>): void {
  for (const [name, value] of Object.entries(added)) {
    for (const single of Array.isArray(value) ? value : [value]) validateHeaderValue(name, single)
    headers[name] = value
  }
}

function contentType(payload: { kind: string; contentType: string }): string {
  return payload.kind === 'text' ? `${payload.contentType}; charset=utf-8` : payload.contentType
}

/** Plain header objects keep the adapter on its fast path: no Headers object, no web stream. */
export function respond(body: string | Uint8Array | null, status: number, headers: Headers): Response {
  return new Response(body, { status, headers: headers as Record<string, string> })
}

async function streamBytes(
  source: Readable | AsyncIterable<Uint8Array>,
  status: number,
  { outgoing, headers }: Writing,
): Promise<Response> {
  outgoing.writeHead(status, headers)
  try {
    await pipeline(source instanceof Readable ? source : Readable.from(source), outgoing)
  } catch (error) {
    if (!hasLeft(error)) throw error
  }
  return RESPONSE_ALREADY_SENT
}

/** The caller went away before the last byte: the source was stopped, and that is no failure of ours. */
function hasLeft(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

function isUnchanged(incoming: IncomingMessage, headers: Headers): boolean {
  const known = incoming.headers['if-none-match']
  const etag = headers.etag
  if (known === undefined || typeof etag !== 'string') return false
  if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return false
  const strip = (tag: string) => tag.trim().replace(/^W\//, '')
  return known === '*' || known.split(',').some((tag) => strip(tag) === strip(etag))
}
