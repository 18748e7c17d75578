import { isAscii } from 'node:buffer'
import type { ServableModel } from '../resolve.ts'
import { usualInstructions } from '../wire/chat-to-responses.ts'
import { asCount, asObject, compact, type Json } from '../wire/json.ts'
import type { Plan } from './choose-translation.ts'
import { countNames, pricedNames } from './count-names.ts'
import { type Endpoint, type GatewayRequest, readOutputLimit } from './read-request.ts'

type Written = Pick<GatewayRequest, 'body' | 'text'> & Partial<Pick<GatewayRequest, 'bytes' | 'names'>>

/**
 * The request as the upstream gets it: its own name of the model, usage in streams, defaults the caller left out. Where
 * client and upstream speak the same, the caller's own text is sent with only that changed: what we do not know of
 * passes as it came, and a long prompt is not written anew.
 */
export function writeRequest(
  endpoint: Endpoint,
  { body, text, bytes, names = countNames(text) }: Written,
  { translation }: Plan,
  model: ServableModel,
  capTokens: number | undefined,
): string | Buffer {
  const added = defaultsFor(endpoint, body, model, capTokens)
  const { upstream } = model
  const isChat = upstream.protocol === 'openai' && (endpoint === 'chat' || translation !== undefined)
  if (translation) {
    const sent = translation.request({ ...body, ...added, model: upstream.model })
    return JSON.stringify(isChat ? nameLimit(sent, upstream.hasResponses) : sent)
  }
  if (endpoint === 'chat' && body.stream === true) {
    const asked = asObject(body.stream_options)
    if (asked.include_usage !== true) added.stream_options = { ...asked, include_usage: true }
  }
  // A subscription's upstream answers in streams only, keeps nothing and wants instructions.
  if (upstream.isResponsesOnly) {
    if (body.stream !== true) added.stream = true
    if (body.store !== false) added.store = false
    if (typeof body.instructions !== 'string') added.instructions = usualInstructions
  }
  // With the operator's key nothing is left with the provider unless the caller asks for it.
  if (endpoint === 'responses' && model.billingMode === 'credits' && body.store === undefined) added.store = false
  const isNew = !(isChat && isMisnamed(body, upstream.hasResponses)) && !Object.keys(added).some((name) => name in body)
  const splice = isNew ? findSplice(text, body, names) : undefined
  if (splice && bytes && isAscii(bytes)) return spliceBytes(bytes, splice, upstream.model, added)
  if (splice) return spliceText(text, splice, upstream.model, added)
  const filled: Json = { ...body, ...added, model: upstream.model }
  return JSON.stringify(isChat ? nameLimit(filled, upstream.hasResponses) : filled)
}

/** Where a text is cut: its model's name lies between `from` and `to`, members are added before `end`. */
interface Splice {
  readonly from: number
  readonly to: number
  readonly end: number
}

/**
 * Undefined where the text's own spelling leaves any doubt about which `"model"` is the document's own: another one
 * further in, a doubled one, one with escaped letters.
 */
function findSplice(text: string, body: Json, names: ReadonlyMap<string, number>): Splice | undefined {
  const key = '"model"'
  const at = text.indexOf(key)
  if (at < 0 || pricedNames.some((name) => (names.get(name) ?? 0) > 1) || text.includes('\\u00')) return undefined
  const written = JSON.stringify(body.model)
  const from = text.indexOf(written, at + key.length)
  if (from < 0 || !/^\s*:\s*$/.test(text.slice(at + key.length, from))) return undefined
  return { from, to: from + written.length, end: text.lastIndexOf('}') }
}

function spliceText(text: string, { from, to, end }: Splice, model: string, added: Json): string {
  return `${text.slice(0, from)}${JSON.stringify(model)}${text.slice(to, end)}${writeMembers(added)}}`
}

/** The same of bytes that are one character each, without a second copy of a long prompt. */
function spliceBytes(bytes: Buffer, { from, to, end }: Splice, model: string, added: Json): Buffer {
  const name = Buffer.from(JSON.stringify(model))
  const rest = Buffer.from(`${writeMembers(added)}}`)
  if (rest.length === 1 && bytes.subarray(from, to).equals(name)) return bytes
  return Buffer.concat([bytes.subarray(0, from), name, bytes.subarray(to, end), rest])
}

function writeMembers(added: Json): string {
  return Object.entries(added)
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join('')
}

/** OpenAI's newer models know the output limit by its newer name only, servers of other makers often by the older. */
function isMisnamed(sent: Json, isOpenAi: boolean): boolean {
  return (isOpenAi ? sent.max_tokens : sent.max_completion_tokens) !== undefined
}

function nameLimit(sent: Json, isOpenAi: boolean): Json {
  if (!isMisnamed(sent, isOpenAi)) return sent
  const { max_tokens, max_completion_tokens, ...rest } = sent
  const limit = outputLimit(max_tokens, max_completion_tokens)
  return isOpenAi ? { ...rest, max_completion_tokens: limit } : { ...rest, max_tokens: limit }
}

/** Of two limits the larger: whichever the upstream reads, no more than what was reserved comes. */
function outputLimit(...given: readonly unknown[]): unknown {
  const counts = given.map(asCount).filter((count) => count > 0)
  return counts.length > 0 ? Math.max(...counts) : given.find((value) => value !== undefined)
}

/** The responses protocol has the effort among other wishes about reasoning, which stay. */
function withEffort(reasoning: unknown, effort: string | undefined): Json | undefined {
  const asked = asObject(reasoning)
  return effort === undefined || (asked.effort ?? null) !== null ? undefined : { ...asked, effort }
}

function defaultsFor(
  endpoint: Endpoint,
  body: Json,
  { generation, upstream }: ServableModel,
  capTokens: number | undefined,
): Json {
  if (endpoint === 'embeddings' || upstream.isResponsesOnly) return {}
  const chatLimit = upstream.hasResponses ? 'max_completion_tokens' : 'max_tokens'
  const limit = { chat: chatLimit, messages: 'max_tokens', responses: 'max_output_tokens' }[endpoint]
  // By the same reading as the reservation: a limit that binds nothing, as -1 or another protocol's, is none.
  const hasLimit = readOutputLimit(endpoint, body) !== undefined
  return compact({
    [limit]: hasLimit ? undefined : (capTokens ?? generation.maxOutputTokens),
    temperature: body.temperature === undefined ? generation.temperature : undefined,
    top_p: body.top_p === undefined ? generation.topP : undefined,
    reasoning_effort:
      endpoint === 'chat' && body.reasoning_effort === undefined ? generation.reasoningEffort : undefined,
    reasoning: endpoint === 'responses' ? withEffort(body.reasoning, generation.reasoningEffort) : undefined,
  })
}
