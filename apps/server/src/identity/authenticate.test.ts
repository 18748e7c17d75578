import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../tests/support/platform.ts'
import { systemActor } from '../kernel/actor.ts'
import { createFakeClock, systemClock } from '../kernel/clock/index.ts'
import { loadMasterKeys, loadTokenHasher, type TokenHasher } from '../kernel/crypto/index.ts'
import { newId } from '../kernel/ids/index.ts'
import { BASE62, mintToken as mintSecret } from '../kernel/tokens/index.ts'
import { createCredentialCache } from './credential-cache.ts'
import { type FoundCredential, plainPrincipal } from './credential-source.ts'
import { createClient } from './testing/client.ts'
import { createTestTokens } from './testing/tokens.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let second: Awaited<ReturnType<typeof startTestPlatform>>
let client: ReturnType<typeof createClient>
let hasher: TokenHasher
let secondDir: string
let tokens: ReturnType<typeof createTestTokens>
beforeAll(async () => {
  platform = await startTestPlatform()
  secondDir = await mkdtemp(join(tmpdir(), 'svc-second-'))
  await copyFile(join(platform.dataDir, 'master-key'), join(secondDir, 'master-key'))
  second = await startTestPlatform({
    DATABASE_URL: platform.database.connectionString,
    SVC_DATA_DIR: secondDir,
  })
  client = createClient(platform)
  hasher = await loadTokenHasher(platform.database.sql, await loadMasterKeys({ dataDir: platform.dataDir }))
  tokens = createTestTokens(platform.database, hasher)
})
afterAll(async () => {
  await second.stop()
  await rm(secondDir, { recursive: true, force: true })
  await platform.stop()
})

/** Any route that needs a credential; 401 tells that it was not accepted, anything else that it was. */
const knock = (token: string, url = platform.url) =>
  fetch(`${url}/v1/accounts/${newId()}/iam/assignments`, { headers: { authorization: `Bearer ${token}` } })

async function account(userId: string): Promise<string> {
  const accountId = newId()
  const { sql } = platform.database
  await sql`insert into svc.accounts (account_id, name) values (${accountId}, 'a')`
  await sql`insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type)
    values (${newId()}, ${accountId}, 'user', ${userId}, 'builtin:owner', 'account')`
  return accountId
}

describe('a bearer credential', () => {
  test.each([
    [undefined, 'Missing or invalid Authorization header'],
    ['Basic eDp5', 'Missing or invalid Authorization header'],
    ['Bearer', 'Missing token'],
    ['Bearer ', 'Missing token'],
    ['Bearer nonsense', 'Invalid or expired token'],
    [`Bearer ${mintSecret('svc_pat_')}`, 'Invalid or expired token'],
    [`Bearer ${mintSecret('svc_ort_')}`, 'Invalid or expired token'],
    [`Bearer ${mintSecret('svc_ocs_')}`, 'Invalid or expired token'],
    [`Bearer ${mintSecret('svc_gw_')}`, 'This key works on the model gateway only'],
  ])('%s: 401 %s', async (authorization, sentence) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const response = await fetch(`${platform.url}/v1/accounts/${newId()}/iam/assignments`, { headers })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: sentence, code: 'unauthorized' })
  })

  test('a token with any one character mistyped is refused without a database read', async () => {
    const person = await createPerson(platform)
    const { secret } = await tokens.mintToken({
      kind: 'pat',
      accountId: await account(person.userId),
      userId: person.userId,
    })
    expect((await knock(secret)).status).not.toBe(401)
    const { sql } = platform.database
    // Without its table every look-up would fail: an answer of 401 then shows that none was made.
    await sql`alter table svc.tokens rename to tokens_away`
    try {
      for (let at = 'svc_pat_'.length; at < secret.length; at++) {
        const other = BASE62[(BASE62.indexOf(secret.charAt(at)) + 1) % 62]
        expect((await knock(secret.slice(0, at) + other + secret.slice(at + 1))).status).toBe(401)
      }
      expect((await knock(mintSecret('svc_pat_'))).status).toBe(500)
    } finally {
      await sql`alter table svc.tokens_away rename to tokens`
    }
  })

  test('the bearer routes of sign-in take no token of another family', async () => {
    const person = await createPerson(platform)
    const { secret } = await tokens.mintToken({
      kind: 'pat',
      accountId: await account(person.userId),
      userId: person.userId,
    })
    const answer = await client.get('/v1/auth/user', secret)
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_token'])
  })

  test('an expired, a revoked and an unknown token get one and the same answer', async () => {
    const person = await createPerson(platform)
    const base = { kind: 'pat', accountId: await account(person.userId), userId: person.userId } as const
    const expired = await tokens.mintToken({ ...base, expiresAt: new Date(Date.now() - 1) })
    const revoked = await tokens.mintToken(base)
    await tokens.revoke({ tokenId: revoked.row.tokenId })
    const bodies = await Promise.all(
      [expired.secret, revoked.secret, mintSecret('svc_pat_')].map(async (secret) => {
        const response = await knock(secret)
        const { request_id: _id, ...body } = (await response.json()) as Record<string, unknown>
        return JSON.stringify([response.status, body])
      }),
    )
    expect(new Set(bodies).size).toBe(1)
  })

  test('a service account works while it is enabled', async () => {
    const person = await createPerson(platform)
    const accountId = await account(person.userId)
    const secret = mintSecret('svc_sa_')
    const id = newId()
    const { sql } = platform.database
    await sql`insert into svc.service_accounts (service_account_id, account_id, name, public_prefix, secret_hash)
      values (${id}, ${accountId}, 'robot', 'svc_sa_', ${hasher.hashToken(secret)})`
    expect((await knock(secret)).status).toBe(403)
    await sql`update svc.service_accounts set status = 'disabled' where service_account_id = ${id}`
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    expect((await knock(secret)).status).toBe(401)
  })

  test('a key that a service account made ends when the service account expires', async () => {
    const person = await createPerson(platform)
    const accountId = await account(person.userId)
    const serviceAccountId = newId()
    const { sql } = platform.database
    await sql`insert into svc.service_accounts (service_account_id, account_id, name, public_prefix, secret_hash)
      values (${serviceAccountId}, ${accountId}, 'short-lived', 'svc_sa_', ${hasher.hashToken(mintSecret('svc_sa_'))})`
    const { secret } = await tokens.mintToken({ kind: 'pat', accountId, serviceAccountId })
    expect((await client.get('/v1/accounts/me', secret)).status).toBe(200)
    const other = await tokens.mintToken({ kind: 'pat', accountId, serviceAccountId })
    await sql`update svc.service_accounts set expires_at = now() - interval '1 second'
      where service_account_id = ${serviceAccountId}`
    expect((await client.get('/v1/accounts/me', other.secret)).status).toBe(401)
  })

  test('a session token carries its session, its project and its agent’s grant, and acts as an agent', async () => {
    const person = await createPerson(platform, { operator: false })
    const accountId = await account(person.userId)
    const projectId = newId()
    const sessionId = newId()
    const { sql } = platform.database
    await sql`insert into svc.projects (project_id, account_id, name) values (${projectId}, ${accountId}, 'p')`
    const agentGrant = { agent: 'builder', connectors: ['mail'], svc_cli: 'all', env: [] } as const
    const { secret } = await tokens.mintToken({
      kind: 'session',
      accountId,
      userId: person.userId,
      projectId,
      sessionId,
      agentGrant,
    })
    const { status, body } = await client.get('/v1/accounts/me', secret)
    expect([status, body.user_id]).toEqual([200, person.userId])
    expect(body.token_context).toEqual({
      auth_type: 'pat',
      project_id: projectId,
      session_id: sessionId,
      agent: 'builder',
      connectors: ['mail'],
      svc_cli: 'all',
      env: [],
    })
    await tokens.revoke({ sessionId })
    await expect.poll(async () => (await knock(secret)).status, { timeout: 20_000 }).toBe(401)
  })

  test.each([
    ['pat', {}],
    ['project', { userId: 'u' }],
    ['session', { userId: 'u', projectId: 'p' }],
    ['gateway', {}],
  ] as const)('a %s token is not minted without what narrows it', async (kind, given) => {
    await expect(tokens.mintToken({ kind, accountId: newId(), ...given })).rejects.toThrow(TypeError)
  })

  test('the last use is written down, once a quarter of an hour', async () => {
    const person = await createPerson(platform)
    const { row, secret } = await tokens.mintToken({
      kind: 'pat',
      accountId: await account(person.userId),
      userId: person.userId,
    })
    const lastUse = async () => {
      const [found] = await platform.database.sql`select last_used_at from svc.tokens where token_id = ${row.tokenId}`
      return found?.last_used_at as Date | null
    }
    await knock(secret)
    await expect.poll(lastUse, { interval: 100 }).not.toBeNull()
    const first = await lastUse()
    await knock(secret)
    await new Promise((resolve) => setTimeout(resolve, 3_200))
    expect(await lastUse()).toEqual(first)
  })
})

describe('a revocation', () => {
  const found: FoundCredential = {
    principal: { ...plainPrincipal, kind: 'user', id: 'u', authType: 'pat', credentialId: 'c' },
    actor: { type: 'human', source: 'api_key' },
    expiresAt: null,
  }

  test('a sign-out on one node ends the still-valid access token on the other, under load, within a second', async () => {
    const person = await createPerson(platform)
    const other = createClient({ ...platform, url: second.url })
    for (let round = 0; round < 5; round++) expect((await knock(person.accessToken, second.url)).status).not.toBe(401)
    await client.post('/v1/auth/sign-out', {}, person.accessToken)
    // The cache itself lives a second; what a loaded machine adds is not part of the promise.
    const status = async () => (await knock(person.accessToken, second.url)).status
    await expect.poll(status, { timeout: 20_000, interval: 1 }).toBe(401)
    expect((await other.get('/v1/auth/user', person.accessToken)).status).toBe(401)
  })

  test('a revoked key is refused at once where it was revoked and by event everywhere else', async () => {
    const person = await createPerson(platform)
    const { row, secret } = await tokens.mintToken({
      kind: 'pat',
      accountId: await account(person.userId),
      userId: person.userId,
    })
    expect((await knock(secret, second.url)).status).not.toBe(401)
    await tokens.revoke({ tokenId: row.tokenId })
    await expect.poll(async () => (await knock(secret, second.url)).status, { timeout: 20_000 }).toBe(401)
  })

  test('a remembered credential is asked for again after a second, revoked or not', () => {
    const clock = createFakeClock()
    const cache = createCredentialCache(clock)
    cache.begin('hash')(found)
    clock.jumpTo(clock.nowMs() + 999)
    expect(cache.read('hash')).toBe(found)
    clock.jumpTo(clock.nowMs() + 1)
    expect(cache.read('hash')).toBeUndefined()
  })

  test('what a revocation overtakes during its look-up is not remembered', () => {
    const cache = createCredentialCache(systemClock)
    const remember = cache.begin('hash')
    cache.forget(['c'])
    remember(found)
    expect(cache.read('hash')).toBeUndefined()
    cache.begin('hash')(found)
    expect(cache.read('hash')).toBe(found)
    cache.forget(['another'])
    expect(cache.read('hash')).toBe(found)
    cache.forget(undefined)
    expect(cache.read('hash')).toBeUndefined()
  })

  test('a filter without a field revokes nothing', async () => {
    await expect(platform.database.transact(systemActor, () => tokens.revoke({}))).rejects.toThrow('at least one field')
  })
})
