import { createSvc, isHeadlessAuthError, listAssignments, listPermissions, type SvcClient } from '@svc/sdk'
import { createSvcAuth } from '@svc/sdk/server'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPerson } from '../support/people.ts'
import { startTestPlatform } from '../support/platform.ts'

/** The client library against the real platform: each namespace once, the way a program would use it. */

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let owner: Awaited<ReturnType<typeof createPerson>>
let svc: SvcClient
let accountId = ''
let projectId = ''
beforeAll(async () => {
  platform = await startTestPlatform()
  owner = await createPerson(platform, { operator: true })
  svc = createSvc({ backendUrl: platform.url, getToken: async () => owner.accessToken, clientSource: 'cli' })
  accountId = (await svc.accounts.list())[0]?.account_id ?? ''
  projectId = (await svc.projects.provision({ name: 'first' })).project_id
}, 120_000)
afterAll(() => platform.stop())

describe('who', () => {
  test('a token is told from a wrong one', async () => {
    expect(await svc.validateToken()).toMatchObject({ valid: true, identity: { user_id: owner.userId } })
    const wrong = createSvc({ backendUrl: platform.url, getToken: async () => 'svc_pat_x' }, { global: false })
    expect(await wrong.validateToken()).toMatchObject({ valid: false, error: { status: 401 } })
  })

  test('signing in fails with the service’s own code, and a session refreshes itself', async () => {
    const wrong = svc.auth.signInWithPassword({ email: owner.email, password: 'not it' })
    const failure = await wrong.catch((error: unknown) => error)
    expect(isHeadlessAuthError(failure) && [failure.code, failure.status]).toEqual(['invalid_credentials', 400])
    const person = await createPerson(platform)
    const session = svc.auth.session()
    await session.set({
      access_token: person.accessToken,
      refresh_token: person.refreshToken,
      token_type: 'bearer',
      expires_in: 3600,
      expires_at: 0,
    })
    const token = (await session.getToken()) ?? ''
    expect(token).not.toBe(person.accessToken)
    expect((await svc.auth.user(token)).user.id).toBe(person.userId)
    expect(await svc.auth.signOut(token)).toEqual({ ok: true })
  })
})

describe('accounts', () => {
  test('are read and renamed; people are listed and invited', async () => {
    expect((await svc.accounts.updateName(accountId, 'Ours')).name).toBe('Ours')
    expect((await svc.accounts.get(accountId)).member_count).toBe(1)
    expect(await svc.accounts.members(accountId)).toHaveLength(1)
    const invited = await svc.accounts.invite(accountId, { email: 'new@example.com' })
    expect(invited.status).toBe('pending')
    const [invite] = await svc.accounts.invites(accountId)
    expect((await svc.accountInvites.describe(invite?.invite_id ?? '')).email_matches_caller).toBe(false)
    await svc.accounts.cancelInvite(accountId, invite?.invite_id ?? '')
  })

  test('a key is minted, works, and is revoked', async () => {
    const key = await svc.accounts.tokens.create({ name: 'ci', accountId })
    const ci = createSvc({ backendUrl: platform.url, getToken: async () => key.secret_key }, { global: false })
    expect((await ci.validateToken()).valid).toBe(true)
    expect((await svc.accounts.tokens.list(accountId, { mine: true })).map(({ name }) => name)).toContain('ci')
    await svc.accounts.tokens.revoke(key.token_id, accountId)
    expect((await ci.validateToken()).valid).toBe(false)
  })

  test('the audit log is read and exported in both formats', async () => {
    const { events } = await svc.accounts.audit.log(accountId, { action: 'account.update', limit: 5 })
    expect(events[0]).toMatchObject({ client_reported_source: 'cli' })
    expect(await svc.accounts.audit.export(accountId)).toContain('account.update')
    const lines = await svc.accounts.audit.export(accountId, { format: 'jsonl' })
    expect(JSON.parse((await lines.text()).split('\n')[0] ?? '')).toHaveProperty('hash')
  })

  test('roles, groups and verdicts', async () => {
    expect((await svc.iam.roles.list(accountId)).roles.length).toBeGreaterThan(3)
    const group = await svc.iam.groups.create(accountId, { name: 'Crew' })
    await svc.iam.groups.addMembers(accountId, group.group_id, { userIds: [owner.userId] })
    expect((await svc.iam.groups.members(accountId, group.group_id)).members).toHaveLength(1)
    const { results } = await svc.iam.explain(accountId, { probes: [{ action: 'account.write' }] })
    expect(results[0]?.allowed).toBe(true)
    expect((await listAssignments(accountId)).length).toBeGreaterThan(0)
    expect((await listPermissions(accountId, { scopeType: 'project' })).length).toBeGreaterThan(40)
  })
})

describe('projects', () => {
  test('are listed, read, changed and flagged', async () => {
    expect((await svc.projects.list()).map(({ name }) => name)).toEqual(['first'])
    const project = svc.project(projectId)
    expect((await project.update({ name: 'renamed' })).name).toBe('renamed')
    expect((await project.updateFeatureFlag('apps', true)).experimental.apps).toBe(true)
    expect((await project.detail()).project.project_id).toBe(projectId)
    expect((await project.validateManifest('svc_version: 3')).valid).toBe(false)
    const refused = svc.projects.get('0190a1b2-0000-7000-8000-000000000000')
    await expect(refused).rejects.toMatchObject({ status: 404 })
  })

  test('files and history of the repository', async () => {
    const { files, git } = svc.project(projectId)
    const [first] = await files.list()
    const read = await files.read('svc.yaml')
    expect(read.content).toContain('svc_version')
    expect(first).toHaveProperty('path')
    expect((await files.search('svc_version', { content: true })).results.length).toBeGreaterThan(0)
    expect(await files.archive()).toBeInstanceOf(Blob)
    const { commits } = await git.commits({ limit: 1 })
    expect((await git.commit(commits[0]?.hash ?? '')).files.length).toBeGreaterThan(0)
    expect((await git.branches()).default_branch).toBe('main')
    expect((await svc.project(projectId).changeRequests.list()).change_requests).toEqual([])
  })

  test('access, keys and secrets', async () => {
    const { access, tokens, secrets } = svc.project(projectId)
    expect((await access.list()).members).toHaveLength(1)
    await access.invite('guest@example.com', 'member')
    expect((await access.pendingInvites()).pending).toHaveLength(1)
    const { secret_key: key } = await tokens.create({ name: 'bot' })
    expect(key).toMatch(/^svc_pat_/)
    await secrets.upsert({ name: 'API_KEY', value: 'hidden' })
    expect(JSON.stringify(await secrets.list())).not.toContain('hidden')
  })
})

describe('the instance', () => {
  // The first look at the parts tries out a sandbox and waits for it; on a busy machine that outlasts the limit of a
  // request, which the service says (503 `request_deadline`) while the try goes on.
  test('its operator sees the parts, once they have been looked at', { timeout: 120_000 }, async () => {
    const { parts } = await vi.waitFor(() => svc.operator.health(), { timeout: 100_000, interval: 100 })
    expect(parts.length).toBeGreaterThan(0)
  })

  test('its operator sees settings, people and jobs', async () => {
    expect(await svc.operator.settings.get()).toBeTypeOf('object')
    expect((await svc.operator.users.list()).users.length).toBeGreaterThan(0)
    expect((await svc.operator.jobs.list()).jobs).toBeInstanceOf(Array)
  })

  test('says whether apps can be connected, and how exports are signed', async () => {
    expect(await svc.connectStatus()).toHaveProperty('configured')
    expect((await svc.audit.keys()).keys).toBeInstanceOf(Array)
  })
})

describe('an app that signs people in', () => {
  test('gets a session by consent and calls the service through its proxy', async () => {
    const redirectUri = 'http://localhost:3000/auth/callback'
    const input = { name: 'App', redirect_uris: [redirectUri] }
    const app = await svc.oauth.clients.create(accountId, input)
    const auth = createSvcAuth({
      backendUrl: platform.url,
      clientId: app.client_id,
      clientSecret: app.client_secret ?? undefined,
      redirectUri,
      cookieSecret: 'x'.repeat(32),
    })
    const ask = (path: string, cookie = '') =>
      auth.handler(new Request(`http://localhost:3000${path}`, { headers: { cookie } }))
    const cookies = (reply: Response) =>
      reply.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ')
    const begun = await ask(auth.signInUrl('/home'))
    const consent = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' })
    const requestId = new URL(consent.headers.get('location') ?? '', platform.url).searchParams.get('request_id') ?? ''
    expect((await svc.oauth.consentRequest(requestId)).client_name).toBe('App')
    const { redirect_uri: back } = await svc.oauth.decideConsent({ request_id: requestId, approved: true })
    const { pathname, search } = new URL(back)
    const done = await ask(pathname + search, cookies(begun))
    expect([done.status, done.headers.get('location')]).toEqual([302, '/home'])
    const session = cookies(done)
    expect(await (await ask('/auth/me', session)).json()).toMatchObject({ user_id: owner.userId, email: owner.email })
    expect(await (await ask('/auth/proxy/accounts/me', session)).json()).toMatchObject({ user_id: owner.userId })
    const acting = await auth.svc(new Request('http://localhost:3000/', { headers: { cookie: session } }))
    expect((await acting.projects.get(projectId)).project_id).toBe(projectId)
    await ask('/auth/signout', session)
    expect((await acting.validateToken()).valid).toBe(false)
  })
})
