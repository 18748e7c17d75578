import { ChatCompletionInput } from '@svc/contract'
import { problem } from '../../kernel/http/index.ts'
import type { OperatorModels } from '../providers/models-file.ts'
import type { ServableModel, Upstream } from '../resolve.ts'
import { answerScripted } from '../scripted/index.ts'
import { tryParse } from '../wire/json.ts'
import { explainNetwork, explainStatus } from './explain-failure.ts'
import { GatewayFailure } from './failure.ts'
import { hideKeys, secretsOf } from './hide-keys.ts'
import { bodyOf, type IncomingAnswer, type IncomingBody, sendRequest, type Waiting } from './send-request.ts'
import type { UpstreamPools } from './upstream-pools.ts'

export interface Asked {
  readonly path: string
  /** JSON. */
  readonly body: string | Buffer
  readonly isStream: boolean
  /** Headers of the caller that the upstream's protocol knows. */
  readonly passed: Readonly<Record<string, string>>
  readonly waiting: Waiting
  readonly timeouts: OperatorModels['timeouts']
}

export interface Answered {
  readonly contentType: string
  readonly body: IncomingBody
}

const maxErrorBytes = 64 * 1024
/** What another key of the same provider may cure: this one is refused, or has used up its share. */
const keyFailures = [401, 403, 429]

/** Asks one upstream. Its keys are tried in turn; whatever is no answer is thrown as a failure. */
export async function askUpstream(pools: UpstreamPools, model: ServableModel, asked: Asked): Promise<Answered> {
  const { upstream } = model
  if (upstream.protocol === 'scripted') return askScripted(asked)
  const keys = upstream.credentials.length > 0 ? upstream.credentials : [undefined]
  let refused: GatewayFailure | undefined
  for (const key of keys) {
    const answer = await send(pools, upstream, key, asked)
    const body = hideKeys(answer.body, secretsOf(upstream))
    if (answer.status < 300) return { contentType: contentTypeOf(answer), body }
    refused = await readFailure(answer, body, model)
    if (!keyFailures.includes(answer.status)) break
  }
  throw refused ?? new GatewayFailure({ status: 502, code: 'upstream_error', message: 'The provider gave no answer.' })
}

async function askScripted({ body: text, waiting }: Asked): Promise<Answered> {
  const parsed = ChatCompletionInput.safeParse(tryParse(text.toString()))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw problem('invalid_json', { say: `${issue?.path.join('.') ?? 'body'}: ${issue?.message ?? 'is not valid'}` })
  }
  const controller = new AbortController()
  waiting.onGone = () => controller.abort()
  const { body: content, status = 200, headers } = await answerScripted(parsed.data, controller.signal)
  const body = bodyOf(content)
  waiting.onGone = () => {
    controller.abort()
    body.discard()
  }
  if (status >= 400) throw explainStatus({ status, text: typeof content === 'string' ? content : '', provider: 'svc' })
  return { contentType: String(headers['content-type'] ?? 'application/json'), body }
}

async function send(
  pools: UpstreamPools,
  upstream: Upstream,
  key: string | undefined,
  { path, body, passed, waiting, timeouts, isStream }: Asked,
): Promise<IncomingAnswer> {
  const headers = {
    'content-type': 'application/json',
    accept: isStream ? 'text/event-stream' : 'application/json',
    ...upstream.headers,
    ...authorize(upstream, key),
    ...passed,
  }
  const request = {
    method: 'POST' as const,
    origin: upstream.origin,
    path: `${upstream.basePath}${path}`,
    headers,
    body,
    headersTimeout: timeouts.first_byte_ms,
    bodyTimeout: timeouts.idle_ms,
  }
  try {
    return await sendRequest(pools.dispatcher(upstream.isOperatorEndpoint, timeouts.connect_ms), request, waiting)
  } catch (error) {
    if (waiting.isGone) throw error
    throw explainNetwork(error)
  }
}

function authorize({ protocol }: Upstream, key: string | undefined): Record<string, string> {
  const version: Record<string, string> = protocol === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}
  if (key === undefined) return version
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw problem('provider_reauth_required', { say: 'The key of this provider has characters that no key has.' })
  }
  if (protocol === 'anthropic') return { ...version, 'x-api-key': key }
  return protocol === 'google' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` }
}

async function readFailure(answer: IncomingAnswer, body: IncomingBody, model: ServableModel) {
  const { provider, isSubscription, upstream } = model
  const chunks: Buffer[] = []
  let sizeBytes = 0
  try {
    await body.read((chunk) => {
      if (sizeBytes < maxErrorBytes) chunks.push(chunk)
      sizeBytes += chunk.length
      if (sizeBytes > maxErrorBytes) body.discard()
    })
  } catch {
    // The status alone says that it failed; the text would only have explained it.
  }
  const retryAfter = answer.headers['retry-after']
  return explainStatus({
    status: answer.status,
    text: withoutKeys(Buffer.concat(chunks).toString('utf8'), upstream.credentials),
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    provider,
    isSubscription,
  })
}

/** Some providers repeat the key they refuse, however short; what they say goes to the caller and into the log. */
function withoutKeys(text: string, keys: readonly string[]): string {
  return keys.reduce((hidden, key) => (key === '' ? hidden : hidden.replaceAll(key, '[key]')), text)
}

function contentTypeOf({ headers }: IncomingAnswer): string {
  const value = headers['content-type']
  return (Array.isArray(value) ? value[0] : value) ?? 'application/json'
}
