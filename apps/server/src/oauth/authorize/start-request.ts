import { randomUUID } from 'node:crypto'
import { oauthScopes, type operations, type QueryOf } from '@svc/contract'
import { type Problem, problem } from '../../kernel/http/index.ts'
import { isUuid } from '../../kernel/ids/index.ts'
import type { Parts } from '../parts.ts'
import { type ClientRow, findClient } from '../store/clients.ts'
import { addRequest } from '../store/requests.ts'
import { returnToApp } from './return-to-app.ts'

const requestTtlMs = 10 * 60_000

export type AuthorizeQuery = QueryOf<typeof operations.oauth.authorize>

/**
 * Where the browser goes next: to the consent page, or back to the app with a fault. Nothing is ever sent to an
 * address before it is known to be, byte for byte, one that the client registered.
 */
export async function startRequest(parts: Parts, query: AuthorizeQuery, search: string): Promise<string> {
  const { client, redirectUri } = await findTarget(parts, query, listRepeated(search))
  const checked = checkRequest(query, client, listRepeated(search))
  if ('error' in checked) return returnToApp(redirectUri, { ...checked, state: echoState(query.state) })
  const requestId = randomUUID()
  await addRequest(parts.kernel.database.db, {
    ...checked,
    requestId,
    clientId: client.clientId,
    redirectUri,
    state: query.state ?? null,
    expiresAt: new Date(parts.kernel.clock.nowMs() + requestTtlMs),
  })
  return `${parts.publicUrl()}/oauth/consent?request_id=${requestId}`
}

interface Target {
  readonly client: ClientRow
  readonly redirectUri: string
}

async function findTarget({ kernel }: Parts, query: AuthorizeQuery, repeated: ReadonlySet<string>): Promise<Target> {
  const { client_id: clientId, redirect_uri: redirectUri } = query
  for (const name of ['client_id', 'redirect_uri'] as const) {
    if (!query[name]) throw problem('invalid_request', { say: `${name} is missing.` })
    if (repeated.has(name)) throw problem('invalid_request', { say: `${name} is given more than once.` })
  }
  const client = isUuid(clientId) ? await findClient(kernel.database.db, clientId) : undefined
  if (!client?.active) throw unknownClient()
  if (redirectUri === undefined || !client.redirectUris.includes(redirectUri)) {
    throw problem('invalid_request', {
      say: 'redirect_uri is not registered for this client.',
      next: 'Register it: addresses are compared byte for byte.',
    })
  }
  return { client, redirectUri }
}

/** 400, not the 401 of this code elsewhere: a browser that comes here has nothing to authenticate the client with. */
function unknownClient(): Problem {
  return Object.assign(problem('invalid_client', { say: 'This client is unknown or switched off.' }), { status: 400 })
}

interface Fault {
  readonly error: 'invalid_request' | 'invalid_scope'
  readonly error_description: string
}

function checkRequest(query: AuthorizeQuery, client: ClientRow, repeated: ReadonlySet<string>) {
  const [twice] = repeated
  if (twice !== undefined) return fault('A parameter is given more than once.')
  if (query.response_type !== 'code') return fault('response_type must be code.')
  if (query.code_challenge_method !== 'S256') return fault('code_challenge_method must be S256.')
  const codeChallenge = query.code_challenge ?? ''
  if (!/^[A-Za-z0-9_-]{43}$/.test(codeChallenge)) return fault('code_challenge must be a base64url SHA-256 hash.')
  if (query.state !== undefined && !isState(query.state)) {
    return fault('state must be at most 2048 characters without control characters.')
  }
  const scopes = readScopes(query.scope, client)
  const refused = scopes.filter((scope) => !client.scopes.includes(scope))
  if (refused.length === 0) return { scopes, codeChallenge }
  return fault(`This client is not registered for ${refused.join(' ')}.`, 'invalid_scope')
}

function fault(description: string, error: Fault['error'] = 'invalid_request'): Fault {
  return { error, error_description: description }
}

/** Names that mean nothing here are ignored; when none is left the client gets what it registered for. */
function readScopes(scope: string | undefined, client: ClientRow): string[] {
  const asked = new Set((scope ?? '').split(' '))
  const known = oauthScopes.filter((name) => asked.has(name))
  return known.length > 0 ? known : client.scopes
}

function isState(state: string): boolean {
  return state.length <= 2048 && !/\p{Cc}/u.test(state)
}

function echoState(state: string | undefined): string | undefined {
  return state !== undefined && isState(state) ? state : undefined
}

/** A parameter that two readers could understand differently is refused rather than guessed at. */
function listRepeated(search: string): ReadonlySet<string> {
  const names = [...new URLSearchParams(search).keys()]
  return new Set(names.filter((name, index) => names.indexOf(name) !== index))
}
