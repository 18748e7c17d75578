import { sign } from 'node:crypto'
import type { z } from 'zod'
import type { Clock } from '../kernel/clock/index.ts'
import type { GithubApp } from '../kernel/github-app.ts'
import { problem } from '../kernel/http/index.ts'
import { type Outbound, OutboundError } from '../kernel/outbound/index.ts'
import { Refusal } from './records.ts'

/** One answer of GitHub's REST API. Only transport failures and faults of GitHub's throw before it is looked at. */
export interface GithubAnswer {
  readonly status: number
  readonly body: unknown
  readonly hasNextPage: boolean
}

export interface GithubApi {
  get(path: string, token: string): Promise<GithubAnswer>
  send(method: 'POST' | 'DELETE', path: string, token: string, body?: unknown): Promise<GithubAnswer>
  /** Proof of being the app itself, for a few minutes. */
  appToken(): string
}

const pageSize = 100
const maxPages = 50

export function createGithubApi(app: GithubApp, outbound: Outbound, clock: Clock): GithubApi {
  async function call(method: 'GET' | 'POST' | 'DELETE', path: string, token: string, body?: unknown) {
    const answer = await outbound
      .guardedFetch(`${app.apiUrl}${path}`, {
        method,
        headers: {
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          'user-agent': 'svc',
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: 15_000,
        maxBytes: 16 * 1024 * 1024,
      })
      .catch((cause: unknown) => {
        if (!OutboundError.isInstance(cause)) throw cause
        throw problem('github_unavailable', { say: `GitHub could not be reached: ${cause.message}`, cause })
      })
    return {
      status: answer.status,
      body: readJson(answer.text()),
      hasNextPage: /rel="next"/.test(answer.headers.link ?? ''),
    }
  }

  return {
    get: (path, token) => call('GET', path, token),
    send: (method, path, token, body) => call(method, path, token, body),
    appToken() {
      const nowSeconds = Math.floor(clock.nowMs() / 1000)
      // A minute back: GitHub refuses a token from what its own clock takes for the future.
      const claims = { iat: nowSeconds - 60, exp: nowSeconds + 9 * 60, iss: app.appId }
      const head = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`
      return `${head}.${sign('sha256', Buffer.from(head), app.privateKey).toString('base64url')}`
    },
  }
}

/** The document of a successful answer; anything else is 502 with what GitHub said. */
export function expectBody<T>(answer: GithubAnswer, shape: z.ZodType<T>): T {
  if (answer.status >= 300) throw unexpected(answer)
  const parsed = shape.safeParse(answer.body)
  if (parsed.success) return parsed.data
  throw problem('github_unavailable', {
    say: 'GitHub answered in a form that is not understood here.',
    privately: `GitHub: ${parsed.error.message.slice(0, 500)}`,
  })
}

export function unexpected({ status, body }: GithubAnswer) {
  const said = Refusal.safeParse(body).data?.message ?? ''
  const isLimited = status === 429 || (status === 403 && /rate limit/i.test(said))
  return problem('github_unavailable', {
    say: isLimited ? 'GitHub takes no more calls of this app for now.' : `GitHub answered with status ${status}.`,
    privately: `GitHub answered ${status}: ${said.slice(0, 300)}`,
  })
}

/** Page after page, until there is none or `wants` says that it is enough. */
export async function readPages<T>(
  api: GithubApi,
  path: string,
  token: string,
  take: (answer: GithubAnswer) => readonly T[],
  wants: (found: readonly T[]) => boolean = () => true,
): Promise<T[]> {
  const found: T[] = []
  for (let page = 1; page <= maxPages; page += 1) {
    const answer = await api.get(`${path}?per_page=${pageSize}&page=${page}`, token)
    found.push(...take(answer))
    if (!answer.hasNextPage || !wants(found)) break
  }
  return found
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A page of a proxy in between, or nothing at all; what reads it finds no document.
    return undefined
  }
}
