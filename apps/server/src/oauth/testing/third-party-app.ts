import { createHash, randomBytes } from 'node:crypto'
import { createPerson, type Person } from '../../../../../tests/support/people.ts'
import type { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { newId } from '../../kernel/ids/index.ts'

type TestPlatform = Awaited<ReturnType<typeof startTestPlatform>>

export interface TestAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any
}

export const callback = 'https://app.example.com/auth/callback'

/** An owner with an account, in which apps are registered. */
export async function createOwner({ database, dataDir }: Pick<TestPlatform, 'database' | 'dataDir'>) {
  const person = await createPerson({ database, dataDir })
  const accountId = newId()
  await database.sql`insert into svc.accounts (account_id, name) values (${accountId}, 'Test')`
  await database.sql`
    insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type)
    values (${newId()}, ${accountId}, 'user', ${person.userId}, 'builtin:owner', 'account')`
  return { person, accountId }
}

export async function send(url: string, path: string, init: RequestInit = {}): Promise<TestAnswer> {
  const response = await fetch(`${url}${path}`, { redirect: 'manual', ...init })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
}

export function sendForm(url: string, path: string, fields: Record<string, string>, headers = {}): Promise<TestAnswer> {
  return send(url, path, { method: 'POST', body: new URLSearchParams(fields), headers })
}

export function createPkce(verifier = randomBytes(32).toString('base64url')) {
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export interface TestApp {
  readonly clientId: string
  readonly credentials: Record<string, string>
  authorize(change?: Record<string, string | undefined>): Promise<TestAnswer>
  /** From the first redirect to the code, approved by this person. */
  obtainCode(person: Person, scope?: string): Promise<{ code: string; verifier: string }>
  exchange(code: string, verifier: string, change?: Record<string, string>): Promise<TestAnswer>
  obtainTokens(person: Person, scope?: string): Promise<{ access_token: string; refresh_token: string }>
  refresh(token: string): Promise<TestAnswer>
  revoke(token: string): Promise<TestAnswer>
}

/** Registers an app through the API and speaks its side of the protocol. */
export async function registerApp(
  url: string,
  owner: { person: Person; accountId: string },
  input: Record<string, unknown> = {},
): Promise<TestApp> {
  const created = await send(url, `/v1/accounts/${owner.accountId}/iam/oauth-clients`, {
    method: 'POST',
    headers: owner.person.headers,
    body: JSON.stringify({ name: 'Kettle', redirect_uris: [callback], ...input }),
  })
  if (created.status !== 201) throw new Error(`the app was not registered: ${JSON.stringify(created.body)}`)
  const { client_id: clientId, client_secret: secret } = created.body
  const credentials = { client_id: clientId, ...(secret === null ? {} : { client_secret: secret }) }

  const app: TestApp = {
    clientId,
    credentials,
    authorize(change = {}) {
      const query: Record<string, string | undefined> = {
        client_id: clientId,
        redirect_uri: callback,
        response_type: 'code',
        scope: 'profile email svc',
        state: 'st',
        code_challenge: createPkce().challenge,
        code_challenge_method: 'S256',
        ...change,
      }
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
      return send(url, `/v1/oauth/authorize?${search}`)
    },
    async obtainCode(person, scope = 'profile email svc') {
      const { verifier, challenge } = createPkce()
      const started = await app.authorize({ scope, code_challenge: challenge })
      const decided = await send(url, '/v1/oauth/authorize/consent', {
        method: 'POST',
        headers: person.headers,
        body: JSON.stringify({ request_id: readRequestId(started), approved: true }),
      })
      return { code: readParameter(decided.body.redirect_uri, 'code'), verifier }
    },
    exchange: (code, verifier, change = {}) =>
      sendForm(url, '/v1/oauth/token', {
        grant_type: 'authorization_code',
        ...credentials,
        code,
        redirect_uri: callback,
        code_verifier: verifier,
        ...change,
      }),
    async obtainTokens(person, scope) {
      const { code, verifier } = await app.obtainCode(person, scope)
      const answer = await app.exchange(code, verifier)
      if (answer.status !== 200) throw new Error(`no tokens: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    refresh: (token) =>
      sendForm(url, '/v1/oauth/token', { grant_type: 'refresh_token', ...credentials, refresh_token: token }),
    revoke: (token) => sendForm(url, '/v1/oauth/revoke', { ...credentials, token }),
  }
  return app
}

export function readRequestId({ headers }: TestAnswer): string {
  return readParameter(headers.get('location') ?? '', 'request_id')
}

export function readParameter(address: string, name: string): string {
  return new URL(address).searchParams.get(name) ?? ''
}

/** What a token opens: 200 or the refusal. */
export async function userinfo(url: string, token: string): Promise<TestAnswer> {
  return send(url, '/v1/oauth/userinfo', { headers: { authorization: `Bearer ${token}` } })
}
