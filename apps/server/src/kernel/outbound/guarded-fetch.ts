import type { Agent, Dispatcher } from 'undici'
import { type AddressPolicy, createAddressPolicy } from './address-policy.ts'
import { findOutboundError, OutboundError } from './errors.ts'
import { createGuardedAgent, type Resolve } from './guarded-agent.ts'

export interface OutboundOptions {
  /** Addresses, CIDR ranges and hosts that may be called although they are private. */
  allowPrivate?: readonly string[]
  connectTimeoutMs?: number
  resolve?: Resolve
}

export interface GuardedFetchOptions {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Redirects that are followed, each checked like the first address. 0 returns the redirect itself. */
  maxRedirects?: number
  /** For the whole call: every redirect and the last byte. */
  timeoutMs?: number
  maxBytes?: number
  signal?: AbortSignal
}

export interface GuardedResponse {
  status: number
  /** Lower-case names. */
  headers: Record<string, string>
  /** The address that answered, after redirects. */
  url: string
  body: Buffer
  text(): string
  json(): unknown
}

export interface Outbound {
  guardedFetch(url: string | URL, options?: GuardedFetchOptions): Promise<GuardedResponse>
  /** For clients that take a dispatcher or a connector of their own. It checks addresses; URLs are yours to check. */
  agent: Agent
  policy: AddressPolicy
  stop(): Promise<void>
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Set by the client itself, or able to lead a shared server astray. */
const REFUSED_HEADERS = new Set([
  'host',
  'connection',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'te',
  'expect',
])
/** The only headers that follow a redirect to another origin. */
const HARMLESS_HEADERS = new Set(['accept', 'accept-language', 'user-agent', 'content-type', 'accept-encoding'])

/** The one way out for calls to addresses that a user supplied. */
export function createOutbound(options: OutboundOptions = {}): Outbound {
  const policy = createAddressPolicy(options.allowPrivate)
  const agent = createGuardedAgent({
    policy,
    ...(options.resolve ? { resolve: options.resolve } : {}),
    ...(options.connectTimeoutMs ? { connectTimeoutMs: options.connectTimeoutMs } : {}),
  })

  async function guardedFetch(input: string | URL, request: GuardedFetchOptions = {}): Promise<GuardedResponse> {
    const { timeoutMs = 30_000, maxBytes = 10 * 1024 * 1024, maxRedirects = 5 } = request
    const deadline = AbortSignal.timeout(timeoutMs)
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline
    let step: Step = firstStep(policy.checkUrl(input), request)
    try {
      for (let redirects = 0; ; redirects++) {
        const answer = await send(agent, step, signal)
        const next = maxRedirects > 0 ? nextStep(policy, step, answer) : undefined
        if (!next) return await readAnswer(answer, step.url, maxBytes)
        // The body of a redirect is thrown away while it may still arrive; that it was cut is no failure.
        answer.body.on('error', () => undefined).destroy()
        if (redirects >= maxRedirects)
          throw new OutboundError('outbound_redirects', `More than ${maxRedirects} redirects.`)
        step = next
      }
    } catch (error) {
      throw explain(error, { url: step.url, timedOut: deadline.aborted, timeoutMs, signal: request.signal })
    }
  }

  return { guardedFetch, agent, policy, stop: () => agent.close() }
}

interface Step {
  url: URL
  method: NonNullable<GuardedFetchOptions['method']>
  headers: Record<string, string>
  body: string | Uint8Array | null
}

function firstStep(url: URL, request: GuardedFetchOptions): Step {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    const key = name.toLowerCase()
    if (REFUSED_HEADERS.has(key)) throw new OutboundError('outbound_refused', `The header ${key} cannot be set.`)
    headers[key] = value
  }
  // Nothing is decompressed here, so a small answer cannot grow past its limit.
  headers['accept-encoding'] = 'identity'
  return { url, method: request.method ?? 'GET', headers, body: request.body ?? null }
}

function send(agent: Agent, step: Step, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = step.url
  return agent.request({
    origin,
    path: pathname + search,
    method: step.method,
    headers: step.headers,
    body: step.body,
    signal,
  })
}

function nextStep(policy: AddressPolicy, step: Step, answer: Dispatcher.ResponseData): Step | undefined {
  const location = answer.headers.location
  if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string') return undefined
  if (!URL.canParse(location, step.url.href))
    throw new OutboundError('outbound_redirects', 'The redirect has no valid address.')
  const url = policy.checkUrl(new URL(location, step.url))
  if (step.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new OutboundError('outbound_refused', `The redirect from https to ${url.origin} is not encrypted.`)
  }
  const becomesGet = answer.statusCode === 303 || (answer.statusCode < 303 && step.method === 'POST')
  const method = becomesGet && step.method !== 'HEAD' ? 'GET' : step.method
  const sameOrigin = url.origin === step.url.origin
  const headers = Object.fromEntries(
    Object.entries(step.headers).filter(([name]) => sameOrigin || HARMLESS_HEADERS.has(name)),
  )
  return { url, method, headers, body: method === step.method ? step.body : null }
}

async function readAnswer(answer: Dispatcher.ResponseData, url: URL, maxBytes: number): Promise<GuardedResponse> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of answer.body) {
    const bytes: Buffer = chunk
    sizeBytes += bytes.length
    if (sizeBytes > maxBytes) {
      throw new OutboundError('outbound_too_large', `The answer of ${url.host} is larger than ${maxBytes} bytes.`)
    }
    chunks.push(bytes)
  }
  const body = Buffer.concat(chunks)
  return {
    status: answer.statusCode,
    headers: flattenHeaders(answer.headers),
    url: url.href,
    body,
    text: () => body.toString('utf8'),
    json: () => JSON.parse(body.toString('utf8')),
  }
}

function flattenHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}

interface Circumstances {
  url: URL
  timedOut: boolean
  timeoutMs: number
  signal: AbortSignal | undefined
}

function explain(error: unknown, { url, timedOut, timeoutMs, signal }: Circumstances): unknown {
  const own = findOutboundError(error)
  if (own) return own
  if (signal?.aborted) return error
  if (timedOut) return new OutboundError('outbound_timeout', `${url.host} did not answer within ${timeoutMs} ms.`)
  return new OutboundError('outbound_unreachable', `${url.host} could not be reached.`, { cause: error })
}
