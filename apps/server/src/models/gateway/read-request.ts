import type { IncomingMessage } from 'node:http'
import { problem } from '../../kernel/http/index.ts'
import { asArray, asCount, asObject, isObject, type Json, tryParse } from '../wire/json.ts'
import type { Admitted } from './admission.ts'
import { countNames, fileNames, hourName } from './count-names.ts'
import type { Endpoint } from './endpoint.ts'
import { findServerTools } from './find-server-tools.ts'
import { measureInput } from './measure-input.ts'

export type { Endpoint } from './endpoint.ts'

/** What the gateway needs to know of a request; the rest passes as it came. */
export interface GatewayRequest {
  readonly body: Json
  /** The body as it came. */
  readonly bytes: Buffer
  readonly text: string
  /** What stands in it between quotes, by `countNames`. */
  readonly names: ReadonlyMap<string, number>
  readonly model: string
  readonly isStream: boolean
  readonly hasImages: boolean
  /** Of the text, pictures apart. No tokenizer makes more tokens of it: every token is at least a byte of the request. */
  readonly maxPromptTokens: number
  readonly pictures: number
  /** The output limit the caller set, in the words of the protocol: others would not bind the upstream. */
  readonly maxOutputTokens: number | undefined
  /** A document, a sound, a file the provider fetches or keeps: how long the prompt is then nobody here knows. */
  readonly isLengthUnknown: boolean
  /** What is priced beside text: sound that is asked for, or a prompt that stays in the provider's cache for an hour. */
  readonly isDearer: boolean
  readonly serverTools: readonly string[]
  /** How many answers to one prompt were asked for; each may be as long as the limit. */
  readonly answerCount: number
}

const maxBodyBytes = 128 * 1024 * 1024
const bodyTimeoutMs = 120_000

export function readBody(incoming: IncomingMessage, admitted: Admitted): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    const timer = incoming.complete ? undefined : setTimeout(() => fail(problem('request_timeout')), bodyTimeoutMs)
    const fail = (error: Error) => {
      clearTimeout(timer)
      incoming.pause()
      reject(error)
    }
    incoming.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length
      try {
        if (sizeBytes > maxBodyBytes) throw problem('request_too_large', { headers: { connection: 'close' } })
        admitted.grow(sizeBytes)
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)))
        return
      }
      chunks.push(chunk)
    })
    incoming.on('end', () => {
      clearTimeout(timer)
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    })
    incoming.on('close', () => {
      if (!incoming.complete) fail(problem('invalid_json', { say: 'The body did not arrive whole.' }))
    })
  })
}

/** @throws a refusal with what is wrong, before any model is asked. */
export function parseRequest(endpoint: Endpoint, bytes: Buffer): GatewayRequest {
  const text = bytes.toString('utf8')
  const body = tryParse(text)
  if (!isObject(body)) throw refuse('The body is not a JSON document.')
  if (typeof body.model !== 'string' || body.model === '') throw refuse('`model` must name a model.')
  if (body.model.length > 256) throw refuse('`model` is longer than 256 characters.')
  // Part of headers, paths and log lines later on.
  if (/[\s\p{C}]/u.test(body.model)) throw problem('model_not_found', { say: 'No model has such a name.' })
  requireContent(endpoint, body)
  requirePlainMembers(body)
  const measured = measureInput(endpoint, body)
  const names = countNames(text)
  const plain = text.includes('\\u') ? countNames(JSON.stringify(body)) : names
  // A doubled member is in the text that goes on, and only once in the document.
  const hasName = (name: string) => names.has(name) || plain.has(name)
  return {
    body,
    bytes,
    text,
    names,
    model: body.model,
    isStream: body.stream === true,
    hasImages: measured.hasImages,
    maxPromptTokens: Math.max(0, bytes.length - measured.pictureBytes),
    pictures: measured.pictures,
    maxOutputTokens: readOutputLimit(endpoint, body),
    isLengthUnknown: measured.isLengthUnknown || continuesStored(endpoint, body) || fileNames.some(hasName),
    isDearer: measured.isLengthUnknown || body.modalities !== undefined || hasName(hourName),
    serverTools: findServerTools(endpoint, body),
    answerCount: endpoint === 'chat' ? Math.max(1, asCount(body.n)) : 1,
  }
}

export function continuesStored(endpoint: Endpoint, body: Json): boolean {
  if (endpoint !== 'responses') return false
  const isReference = (item: unknown) => asObject(item).type === 'item_reference'
  const isGiven = (value: unknown) => value !== undefined && value !== null
  return (
    [body.previous_response_id, body.conversation, body.prompt].some(isGiven) || asArray(body.input).some(isReference)
  )
}

/** Undefined where nothing is given that the upstream would keep to. */
export function readOutputLimit(endpoint: Endpoint, body: Json): number | undefined {
  if (endpoint === 'embeddings') return undefined
  if (endpoint === 'responses') return asCount(body.max_output_tokens) || undefined
  const newer = endpoint === 'chat' ? asCount(body.max_completion_tokens) : 0
  return Math.max(newer, asCount(body.max_tokens)) || undefined
}

const roles: Readonly<Record<'chat' | 'messages', readonly string[]>> = {
  chat: ['system', 'developer', 'user', 'assistant', 'tool', 'function'],
  messages: ['user', 'assistant', 'system'],
}

function requireContent(endpoint: Endpoint, body: Json): void {
  if (endpoint === 'responses' || endpoint === 'embeddings') {
    const isEmpty = body.input === undefined || body.input === null || asArray(body.input).length === 0
    if (typeof body.input !== 'string' && isEmpty) throw refuse('`input` must not be empty.')
    return
  }
  if (!Array.isArray(body.messages) || body.messages.length === 0) throw refuse('`messages` must not be empty.')
  const at = body.messages.findIndex((message) => !roles[endpoint].includes(String(asObject(message).role)))
  if (at >= 0) throw refuse(`\`messages[${at}].role\` must be one of ${roles[endpoint].join(', ')}.`)
}

/** What a call is priced by, with the form that every upstream reads alike. */
const priced = new Map<string, 'number' | 'boolean' | 'string'>([
  ['model', 'string'],
  ['stream', 'boolean'],
  ['n', 'number'],
  ['max_tokens', 'number'],
  ['max_completion_tokens', 'number'],
  ['max_output_tokens', 'number'],
])

/**
 * Some upstreams take `"5"` for 5, `1` for true and `Model` for `model`. Such a member would mean nothing here and
 * something there: what is reserved and what is charged would not be what was asked for.
 */
function requirePlainMembers(body: Json): void {
  for (const name of Object.keys(body)) {
    const value = body[name]
    const form = priced.get(name)
    if (form !== undefined && value !== null && typeof value !== form) throw refuse(`\`${name}\` must be a ${form}.`)
    if (form !== undefined || inLowerCase.test(name)) continue
    const plain = name.toUpperCase().toLowerCase()
    if (priced.has(plain)) throw refuse(`\`${name}\` must be spelled \`${plain}\`.`)
  }
}

const inLowerCase = /^[a-z0-9_]+$/

function refuse(say: string) {
  return problem('invalid_json', { say })
}
