import { Readable } from 'node:stream'
import { ChatCompletionInput } from '@svc/contract'
import type { Dispatcher } from 'undici'
import { problem } from '../../kernel/http/index.ts'
import { OutboundError } from '../../kernel/outbound/index.ts'
import type { OperatorModels } from '../providers/models-file.ts'
import type { ServableModel, Upstream } from '../resolve.ts'
import { answerScripted } from '../scripted/index.ts'
import { asObject, asText, type Json, tryParse } from '../wire/json.ts'
import { GatewayFailure } from './failure.ts'
import type { UpstreamPools } from './upstream-pools.ts'

export interface Asked {
  readonly path: string
  readonly body: Json
  readonly isStream: boolean
  /** Headers of the caller that the upstream's protocol knows. */
  readonly passed: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly timeouts: OperatorModels['timeouts']
}

export interface Answered {
  readonly status: number
  readonly contentType: string
  readonly body: Readable
}

const maxErrorBytes = 64 * 1024
const maxRetryAfterSeconds = 60

/** Asks one upstream. Its keys are tried in turn; whatever is no answer is thrown as a failure. */
export async function askUpstream(pools: UpstreamPools, model: ServableModel, asked: Asked): Promise<Answered> {
  const { upstream } = model
  if (upstream.protocol === 'scripted') return askScripted(asked)
  const keys = upstream.credentials.length > 0 ? upstream.credentials : [undefined]
  let refused: GatewayFailure | undefined
  for (const key of keys) {
    const answer = await send(pools, upstream, key, asked)
    if (answer.statusCode < 400) {
      return { status: answer.statusCode, contentType: contentTypeOf(answer), body: answer.body }
    }
    refused = await readFailure(answer, model)
    if (refused.upstreamStatus !== 401 && refused.upstreamStatus !== 403) break
  }
  throw refused ?? new GatewayFailure({ status: 502, code: 'upstream_error', message: 'The provider gave no answer.' })
}

async function askScripted({ body, signal }: Asked): Promise<Answered> {
  const parsed = ChatCompletionInput.safeParse(body)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw problem('invalid_json', { say: `${issue?.path.join('.') ?? 'body'}: ${issue?.message ?? 'is not valid'}` })
  }
  const answer = await answerScripted(parsed.data, signal)
  const { body: content, status = 200, headers } = answer
  const text = typeof content === 'string' ? content : ''
  if (status >= 400) throw failureOf(status, text, undefined, 'svc')
  const contentType = String(headers['content-type'] ?? 'application/json')
  return {
    status,
    contentType,
    body: typeof content === 'string' ? Readable.from([Buffer.from(content)]) : Readable.from(content),
  }
}

async function send(
  pools: UpstreamPools,
  upstream: Upstream,
  key: string | undefined,
  { path, body, passed, signal, timeouts, isStream }: Asked,
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname } = new URL(upstream.baseUrl)
  try {
    return await pools.dispatcher(upstream.isOperatorEndpoint).request({
      origin,
      path: `${pathname === '/' ? '' : pathname}${path}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: isStream ? 'text/event-stream' : 'application/json',
        ...upstream.headers,
        ...authorize(upstream, key),
        ...passed,
      },
      body: JSON.stringify(body),
      headersTimeout: timeouts.first_byte_ms,
      bodyTimeout: timeouts.idle_ms,
      signal,
    })
  } catch (error) {
    if (signal.aborted) throw error
    throw explainNetwork(error)
  }
}

function authorize({ protocol }: Upstream, key: string | undefined): Record<string, string> {
  const version: Record<string, string> = protocol === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}
  if (key === undefined) return version
  return protocol === 'anthropic' ? { ...version, 'x-api-key': key } : { authorization: `Bearer ${key}` }
}

/** Says what went wrong and nothing of where the upstream is: that may be inside the operator's network. */
export function explainNetwork(error: unknown): GatewayFailure {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (OutboundError.isInstance(cause)) {
      const isRefused = cause.code === 'outbound_refused'
      return new GatewayFailure({
        status: isRefused ? 400 : 502,
        code: isRefused ? 'model_unavailable' : 'upstream_error',
        message: cause.message,
        isTransient: !isRefused,
      })
    }
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const isTimeout = /TIMEOUT/.test(code)
  return new GatewayFailure({
    status: isTimeout ? 504 : 502,
    code: 'upstream_error',
    message: isTimeout ? 'The provider did not answer in time.' : 'The provider cannot be reached.',
    upstreamCode: code === '' ? undefined : code.toLowerCase(),
    isTransient: true,
  })
}

async function readFailure(answer: Dispatcher.ResponseData, { provider }: ServableModel): Promise<GatewayFailure> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  try {
    for await (const chunk of answer.body) {
      chunks.push(chunk)
      sizeBytes += chunk.length
      if (sizeBytes > maxErrorBytes) break
    }
  } catch {
    // The status alone says that it failed; the text would only have explained it.
  }
  answer.body.destroy()
  const header = answer.headers['retry-after']
  return failureOf(answer.statusCode, Buffer.concat(chunks).toString('utf8'), String(header ?? ''), provider)
}

function failureOf(status: number, text: string, retryAfter: string | undefined, provider: string): GatewayFailure {
  const document = asObject(tryParse(text))
  const error = asObject(document.error)
  const said = asText(error.message) ?? asText(document.message) ?? asText(document.error)
  const isTransient = status === 429 || status >= 500
  const seconds = Number(retryAfter)
  return new GatewayFailure({
    // A provider that refuses our key is no refusal of the caller's own.
    status: status === 401 || status === 403 ? 502 : status,
    code: asText(error.code) === 'scripted_failure' ? 'scripted_failure' : 'upstream_error',
    message: said ?? `${provider} answered with status ${status}.`,
    upstreamStatus: status,
    upstreamCode: asText(error.code) ?? asText(error.type),
    isTransient,
    retryAfterSeconds:
      retryAfter !== undefined && retryAfter !== '' && Number.isFinite(seconds)
        ? Math.min(maxRetryAfterSeconds, Math.max(0, Math.ceil(seconds)))
        : undefined,
  })
}

function contentTypeOf({ headers }: Dispatcher.ResponseData): string {
  const value = headers['content-type']
  return (Array.isArray(value) ? value[0] : value) ?? 'application/json'
}
