import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAssignment, listAssignments, listPermissions, revokeAssignment } from '../access/assignments.ts'
import { auth } from '../auth/create-auth.ts'
import { startProtocolServer } from '../server/testing/protocol-server.ts'
import { createSvc } from './create-svc.ts'
import type { SvcClient } from './svc-client.ts'

let server: Awaited<ReturnType<typeof startProtocolServer>>
let svc: SvcClient
let reply = { status: 200, type: 'application/json', body: '{}' }
beforeAll(async () => {
  server = await startProtocolServer((_request, response) => {
    response.writeHead(reply.status, { 'content-type': reply.type })
    response.end(reply.body)
  })
})
beforeEach(() => {
  server.seen.length = 0
  reply = { status: 200, type: 'application/json', body: '{}' }
  svc = createSvc({ backendUrl: server.url, getToken: async () => 't' })
})
afterAll(() => server.stop())

const last = () => {
  const { method, url, body } = server.seen.at(-1) ?? {}
  return `${method} ${url?.slice('/v1/'.length)}${body ? ` ${body}` : ''}`
}

describe('calls', () => {
  const cases: [string, (client: SvcClient) => Promise<unknown>][] = [
    ['GET accounts', (c) => c.accounts.list()],
    ['PATCH accounts/a {"name":"n"}', (c) => c.accounts.updateName('a', 'n')],
    ['PATCH accounts/a/members/u {"role":"admin"}', (c) => c.accounts.updateMemberRole('a', 'u', 'admin')],
    ['GET accounts/tokens?account_id=a&mine=true', (c) => c.accounts.tokens.list('a', { mine: true })],
    ['GET accounts/tokens', (c) => c.accounts.tokens.list()],
    [
      'POST accounts/tokens {"name":"n","expires_at":null,"project_id":"p"}',
      (c) => c.accounts.tokens.create({ name: 'n', expiresAt: null, projectId: 'p' }),
    ],
    ['DELETE accounts/tokens/k?account_id=a', (c) => c.accounts.tokens.revoke('k', 'a')],
    [
      'GET accounts/a/audit?actor_type=agent&request_id=r&limit=5',
      (c) => c.accounts.audit.log('a', { actorType: 'agent', requestId: 'r', limit: 5 }),
    ],
    ['GET projects?account_id=a', (c) => c.projects.listForAccount('a')],
    ['DELETE projects/p?purge=true', (c) => c.projects.archive('p', { purge: true })],
    ['POST projects/p/git-token', (c) => c.project('p').gitToken()],
    [
      'PATCH projects/p/features {"feature":"apps","enabled":null}',
      (c) => c.project('p').updateFeatureFlag('apps', null),
    ],
    ['PUT projects/p/agents/x%2Fy/scope {"env":"all"}', (c) => c.project('p').setAgentScope('x/y', { env: 'all' })],
    ['GET projects/p/files/content?path=a+b%26c.md&ref=main', (c) => c.project('p').files.read('a b&c.md', 'main')],
    ['GET projects/p/files/search?q=x&content=true', (c) => c.project('p').files.search('x', { content: true })],
    ['GET projects/p/version-diff?from=a&into=b', (c) => c.project('p').git.versionDiff('a', 'b')],
    ['GET projects/p/change-requests?status=open', (c) => c.project('p').changeRequests.list('open')],
    ['POST projects/p/change-requests/1/merge {}', (c) => c.project('p').changeRequests.merge('1')],
  ]
  test.each(cases)('%s', async (sent, call) => {
    await call(svc)
    expect(last()).toBe(sent)
  })

  test('a file goes as a form', async () => {
    await svc.accounts.branding.uploadAsset('a', 'logo', new Blob(['<svg/>'], { type: 'image/svg+xml' }))
    expect(server.seen[0]?.headers['content-type']).toMatch(/^multipart\/form-data/)
    expect(server.seen[0]?.body).toContain('name="file"')
  })

  test.each(['', '.', '..', undefined])('an id of %j never reaches the service', async (id) => {
    await expect(svc.accounts.get(id ?? '')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(server.seen).toEqual([])
  })

  test('making a client or a handle makes no request', () => {
    createSvc({ backendUrl: server.url, getToken: () => Promise.reject(new Error('never asked')) }).project('p')
    expect(server.seen).toEqual([])
  })
})

describe('answers', () => {
  test('an export is text as CSV and a Blob as JSON Lines', async () => {
    reply = { status: 200, type: 'text/csv; charset=utf-8', body: 'a,b' }
    expect(await svc.accounts.audit.export('a')).toBe('a,b')
    reply = { status: 200, type: 'application/x-ndjson', body: '{}\n' }
    expect(await svc.accounts.audit.export('a', { format: 'jsonl' })).toBeInstanceOf(Blob)
  })

  test('a page of HTML is never taken for a result', async () => {
    reply = { status: 200, type: 'text/html', body: '<!doctype html>' }
    await expect(svc.projects.list()).rejects.toMatchObject({ code: 'INVALID_CONTENT_TYPE', status: 200 })
  })

  test('a refusal rejects and is told once', async () => {
    const told: unknown[] = []
    svc = createSvc({ backendUrl: server.url, getToken: async () => 't', onError: (error) => told.push(error) })
    reply = { status: 404, type: 'application/json', body: '{"error":"Gone","code":"project_not_found"}' }
    await expect(svc.projects.get('p')).rejects.toMatchObject({ message: 'Gone', code: 'project_not_found' })
    expect(told).toHaveLength(1)
  })

  test('validateToken answers and never rejects', async () => {
    reply.body = '{"user_id":"u"}'
    expect(await svc.validateToken()).toEqual({ valid: true, identity: { user_id: 'u' } })
    reply = { status: 401, type: 'application/json', body: '{"error":"Invalid or expired token"}' }
    expect(await svc.validateToken()).toMatchObject({ valid: false, error: { status: 401 } })
    const signedOut = createSvc({ backendUrl: server.url, getToken: async () => null })
    expect(await signedOut.validateToken()).toMatchObject({ valid: false, error: { code: 'NO_SESSION' } })
    const broken = createSvc({ backendUrl: server.url, getToken: () => Promise.reject(new Error('keychain')) })
    expect(await broken.validateToken()).toMatchObject({ valid: false, error: { code: 'TOKEN_FAILED' } })
  })
})

describe('assignments', () => {
  test('go out in the shapes of the wire and come back bare', async () => {
    reply.body = '{"assignments":[{"role_key":"manager"}],"permissions":[1],"assignment":{"role_key":"member"}}'
    expect(await listAssignments('a', { principalType: 'user', principalId: 'u', includeExpired: true })).toEqual([
      { role_key: 'manager' },
    ])
    expect(last()).toBe('GET accounts/a/iam/assignments?principal_type=user&principal_id=u&include_expired=true')
    expect(await listPermissions('a', { scopeType: 'project' })).toEqual([1])
    expect(await revokeAssignment('a', 'x')).toEqual({ role_key: 'member' })
    await createAssignment('a', {
      principal: { type: 'user', id: 'u' },
      scope: { type: 'project', id: 'p' },
      roleKey: 'manager',
    })
    expect(last()).toBe(
      'POST accounts/a/iam/assignments {"principal_type":"user","principal_id":"u","scope_type":"project","scope_id":"p","role_key":"manager"}',
    )
  })
})

describe('sign-in', () => {
  test('sends no credential of its own and takes one where the call names it', async () => {
    await svc.auth.signInWithPassword({ email: 'a@example.com', password: 'p' })
    expect(last()).toBe('POST auth/sign-in/password {"email":"a@example.com","password":"p"}')
    expect(server.seen[0]?.headers.authorization).toBeUndefined()
    await svc.auth.user('access')
    expect([last(), server.seen[1]?.headers.authorization]).toEqual(['GET auth/user', 'Bearer access'])
    await svc.auth.signOut('access')
    expect(last()).toBe('POST auth/sign-out {}')
  })

  test('a failure is the service’s code, sentence and status', async () => {
    reply = {
      status: 429,
      type: 'application/json',
      body: '{"error":"over_request_rate_limit","error_description":"Wait"}',
    }
    const failed = svc.auth.refresh({ refresh_token: 'r' })
    await expect(failed).rejects.toMatchObject({ code: 'over_request_rate_limit', message: 'Wait', status: 429 })
    reply = { status: 502, type: 'text/html', body: '<h1>' }
    await expect(svc.auth.user('t')).rejects.toMatchObject({ code: 'auth_error', message: 'Bad Gateway', status: 502 })
    const nowhere = createSvc({ backendUrl: '', getToken: async () => null }, { global: false }).auth
    await expect(nowhere.user('t')).rejects.toMatchObject({ code: 'not_configured', status: 0 })
    const unreachable = nowhere.user('t', { backendUrl: 'http://127.0.0.1:1' })
    await expect(unreachable).rejects.toMatchObject({ name: 'HeadlessAuthError', code: 'auth_error', status: 0 })
    await expect(svc.auth.user('t', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' })
  })

  test('works without a client, over the config in effect', async () => {
    await auth.sendMagicLink({ email: 'a@example.com' })
    expect(last()).toBe('POST auth/sign-in/magic-link {"email":"a@example.com"}')
  })

  test('a store made by the client refreshes through it', async () => {
    const session = { access_token: 'new', refresh_token: 'r2', token_type: 'bearer', expires_in: 1, expires_at: 9e9 }
    reply.body = JSON.stringify({ session, user: null })
    const store = svc.auth.session()
    await store.set({ ...session, token_type: 'bearer', access_token: 'old', expires_at: 0 })
    expect(await store.getToken()).toBe('new')
    expect(last()).toBe('POST auth/refresh {"refresh_token":"r2"}')
  })
})
