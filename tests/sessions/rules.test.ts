import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson, type Person } from '../support/people.ts'
import { promptBody, type SessionWorld, send, startSessionWorld } from './session-world.ts'

/** What is refused, who sees what, and how the queue behaves. Without machines: sessions wait as `queued`. */

let world: SessionWorld
let member: Person
let manager: Person
beforeAll(async () => {
  world = await startSessionWorld({ SVC_MAX_MACHINES: '0' })
  member = await createPerson(world.platform)
  manager = await createPerson(world.platform)
  await assign(member, 'builtin:user')
  await assign(manager, 'builtin:manager')
}, 120_000)
afterAll(() => world?.stop())

async function assign(person: Person, roleId: string): Promise<void> {
  const { sql } = world.platform.database
  const [project] = await sql<{ accountId: string }[]>`
    select account_id as "accountId" from svc.projects where project_id = ${world.projectId}`
  for (const [role, scope, scopeId] of [
    ['builtin:member', 'account', null],
    [roleId, 'project', world.projectId],
  ] as const) {
    await sql`insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type, scope_id)
      values (${randomUUID()}, ${project?.accountId ?? ''}, 'user', ${person.userId}, ${role}, ${scope}, ${scopeId})`
  }
}

async function make(body: Record<string, unknown> = {}, person: Person = world.owner): Promise<string> {
  const made = await world.call('POST /sessions', body, person)
  expect([made.status, made.body]).toMatchObject([202, { status: 'queued' }])
  return String(made.body.session_id)
}

describe('creating a session', () => {
  test.each([
    ['an unknown key', { nonsense: 1 }, 400, 'validation_failed'],
    ['a reserved metadata key', { metadata: { source: 'x' } }, 400, 'validation_failed'],
    ['a credential in the context', { runtime_context: { api_key: 'x' } }, 400, 'invalid_session_runtime_context'],
    ['a nested context', { runtime_context: { a: { b: 1 } } }, 400, 'invalid_session_runtime_context'],
    ['a binding without connection', { connector_bindings: { x: {} } }, 400, 'invalid_session_connector_bindings'],
    ['secrets that are no list', { secrets: 'all' }, 400, 'invalid_session_secrets'],
    ['secrets by a person', { secrets: [] }, 403, 'origin_override_forbidden'],
    ['an unknown model', { opencode_model: 'nobody/nothing' }, 400, 'invalid_session_model'],
    ['an unknown template', { sandbox_slug: 'nowhere' }, 400, 'unknown_sandbox_template'],
    ['an unknown agent', { agent_name: 'nobody' }, 400, 'agent_not_available'],
    ['an unknown base', { base_ref: 'no-such-branch' }, 400, 'invalid_ref'],
    ['an id that is no v4 UUID', { session_id: '0190a1b2-0000-7000-8000-000000000000' }, 400, 'validation_failed'],
  ])('%s is refused', async (_what, body, status, code) => {
    const reply = await world.call('POST /sessions', body)
    expect([reply.status, reply.body.code]).toEqual([status, code])
  })

  test('an id chosen by the client is used once', async () => {
    const sessionId = randomUUID()
    expect(await make({ session_id: sessionId })).toBe(sessionId)
    const again = await world.call('POST /sessions', { session_id: sessionId })
    expect([again.status, again.body.code]).toEqual([409, 'session_id_taken'])
  })

  test('an agent that a member is not assigned is refused, with those that are open', async () => {
    const reply = await world.call('POST /sessions', {}, member)
    expect(reply.status).toBe(403)
    expect(reply.body).toMatchObject({ code: 'agent_not_accessible', accessible_agents: [] })
  })

  test('the first prompt stands in the queue and names the session', async () => {
    const sessionId = await make({ pending_prompt: { text: '# Add a footer\nwith links' } })
    const { body } = await world.call(`GET /sessions/${sessionId}`)
    expect(body).toMatchObject({ name: 'Add a footer', custom_name: null, status: 'queued', origin: 'user' })
    const { body: queue } = await world.call(`GET /sessions/${sessionId}/prompts`)
    expect(queue.prompts).toMatchObject([{ text: '# Add a footer\nwith links', state: 'queued', attempts: 0 }])
  })
})

describe('a session’s record', () => {
  test('name and metadata change; everything else is the server’s', async () => {
    const sessionId = await make()
    const at = `/sessions/${sessionId}`
    const renamed = await world.call(`PATCH ${at}`, { name: 'Mine', metadata: { a: 1 } })
    expect(renamed.body).toMatchObject({ name: 'Mine', custom_name: 'Mine', metadata: { a: 1 } })
    const cleared = await world.call(`PATCH ${at}`, { name: '', metadata: { b: 2 } })
    expect(cleared.body).toMatchObject({ custom_name: null, metadata: { a: 1, b: 2 } })
    const managed = await world.call(`PATCH ${at}`, { status: 'running' })
    expect([managed.status, managed.body.error]).toEqual([400, 'field is server-managed: status'])
    const other = await world.call(`PATCH ${at}`, { agent_name: 'x' })
    expect([other.status, other.body.error]).toEqual([400, 'field is not user-editable: agent_name'])
    const reserved = await world.call(`PATCH ${at}`, { metadata: { workspace_mode: 'x' } })
    expect(reserved.body.error).toBe('metadata key is server-managed: workspace_mode')
  })

  test('a deleted session is gone for everybody, but in the managers’ inventory', async () => {
    const sessionId = await make({}, manager)
    expect((await world.call(`DELETE /sessions/${sessionId}`, undefined, manager)).body).toEqual({ ok: true })
    expect((await world.call(`GET /sessions/${sessionId}`, undefined, manager)).status).toBe(404)
    expect((await world.call(`POST /sessions/${sessionId}/prompts`, promptBody('x'), manager)).status).toBe(404)
    const visible = await world.call('GET /sessions', undefined, manager)
    expect(JSON.stringify(visible.body)).not.toContain(sessionId)
    const all = await world.call('GET /sessions?scope=project', undefined, manager)
    const row = (all.body as unknown as { session_id: string }[]).find((one) => one.session_id === sessionId)
    expect(row).toMatchObject({ status: 'stopped', deleted_by: manager.userId })
    expect((await world.call('GET /sessions?scope=project', undefined, member)).status).toBe(403)
  })
})

describe('who may open a session', () => {
  test('private by default, then members, then the project', async () => {
    const sessionId = await make()
    const seenBy = async (person: Person) => (await world.call(`GET /sessions/${sessionId}`, undefined, person)).status
    expect([await seenBy(member), await seenBy(manager)]).toEqual([404, 404])
    const share = (body: unknown, person = world.owner) =>
      world.call(`PUT /sessions/${sessionId}/sharing`, body, person)
    expect((await share({ mode: 'members', memberIds: [member.userId] })).body).toMatchObject({
      visibility: 'restricted',
      sharing: { mode: 'members', memberIds: [member.userId] },
    })
    expect([await seenBy(member), await seenBy(manager)]).toEqual([200, 404])
    expect((await share({ mode: 'project' }, member)).status).toBe(403)
    await share({ mode: 'project' })
    expect([await seenBy(member), await seenBy(manager)]).toEqual([200, 200])
    expect((await share({ mode: 'members', memberIds: [] })).body).toMatchObject({ visibility: 'private' })
    expect(await seenBy(member)).toBe(404)
  })

  test('below another project, and to a stranger, it is missing', async () => {
    const sessionId = await make()
    await world.call(`PUT /sessions/${sessionId}/sharing`, { mode: 'project' })
    const stranger = await createPerson(world.platform)
    const other = await send(world.url, stranger, 'POST /v1/projects/provision', { name: 'Other' })
    for (const path of ['', '/messages', '/transcript', '/events', '/prompts', '/turn', '/scope', '/previews']) {
      const at = `/v1/projects/${other.body.project_id}/sessions/${sessionId}${path}`
      expect([path, (await send(world.url, stranger, `GET ${at}`)).status]).toEqual([path, 404])
    }
    expect((await world.call(`GET /sessions/${sessionId}`, undefined, stranger)).status).toBe(403)
  })

  test('of a shared session only the owner and managers change the life', async () => {
    const sessionId = await make()
    await world.call(`PUT /sessions/${sessionId}/sharing`, { mode: 'project' })
    expect((await world.call(`DELETE /sessions/${sessionId}`, undefined, member)).status).toBe(403)
    const seen = await world.call(`GET /sessions/${sessionId}`, undefined, manager)
    expect(seen.body).toMatchObject({ is_owner: false, can_manage_lifecycle: true, can_manage_sharing: false })
    expect((await world.call(`DELETE /sessions/${sessionId}`, undefined, manager)).status).toBe(200)
  })
})

describe('the queue', () => {
  test('a repeated prompt is the first one; a cancelled one is given back', async () => {
    const sessionId = await make()
    const at = `/sessions/${sessionId}/prompts`
    const body = promptBody('do it', 'client-1')
    const first = await world.call(`POST ${at}`, body)
    const again = await world.call(`POST ${at}`, { ...body, parts: [{ type: 'text', text: 'other' }] })
    expect([first.status, first.body.deduped, again.status, again.body.deduped]).toEqual([202, false, 200, true])
    expect(again.body.prompt_id).toBe(first.body.prompt_id)
    await world.call(`POST ${at}`, promptBody('and this', 'client-2'))
    const listed = await world.call(`GET ${at}`)
    expect(
      (listed.body.prompts as { state: string; reason: string }[]).map(({ state, reason }) => [state, reason]),
    ).toEqual([
      ['queued', null],
      ['waiting', 'older_prompt_pending'],
    ])
    await world.call(`POST ${at}/hold`, { held: true })
    const held = await world.call(`GET ${at}`)
    expect(held.body.prompts).toMatchObject([{ reason: 'held' }, { reason: 'held' }])
    const cancelled = await world.call(`DELETE ${at}/${body.message_id}`)
    expect(cancelled.body).toMatchObject({ removed: true, prompt: { parts: [{ type: 'text', text: 'do it' }] } })
    expect((await world.call(`DELETE ${at}/${body.message_id}`)).body).toMatchObject({ removed: false })
    await world.call(`POST ${at}`, promptBody('last', 'client-3'))
    const released = await world.call(`GET ${at}`)
    expect(released.body.prompts).toMatchObject([{ text: 'and this', state: 'queued' }, { text: 'last' }])
    const [, last] = released.body.prompts as { prompt_id: string }[]
    await world.call(`POST ${at}/${last?.prompt_id}/retry`)
    const moved = await world.call(`GET ${at}`)
    expect(moved.body.prompts).toMatchObject([{ text: 'last' }, { text: 'and this' }])
  })

  test('a message id of another shape is refused', async () => {
    const sessionId = await make()
    const reply = await world.call(`POST /sessions/${sessionId}/prompts`, { ...promptBody('x'), message_id: 'msg_1' })
    expect([reply.status, reply.body.code]).toEqual([400, 'validation_failed'])
  })
})

describe('public links', () => {
  test('show what was shared and end when they are ended', async () => {
    const sessionId = await make({ name: 'Demo' })
    const at = `/sessions/${sessionId}/public-shares`
    for (const port of [22, 8000, 4096, 4097, 3211]) {
      expect((await world.call(`POST ${at}`, { preview: { port } })).body.code).toBe('share_port_blocked')
    }
    for (const path of ['/etc/passwd', '../x', '/workspace/../etc/passwd', 'a/../../x']) {
      expect((await world.call(`POST ${at}`, { file: { path } })).status).toBe(400)
    }
    const made = await world.call(`POST ${at}`, { preview: { port: 3000, path: '/docs' }, label: 'Docs' })
    const share = made.body.share as Record<string, string>
    expect([made.status, share]).toMatchObject([
      201,
      { resource_type: 'preview', port: 3000, mode: 'view', allow_websocket: false, label: 'Docs' },
    ])
    expect(share.public_token).toMatch(/^[0-9A-Za-z]{32}$/)
    const listed = await world.call(`GET ${at}`)
    expect(listed.body.shares).toEqual([share])
    const anonymous = (path: string) => fetch(`${world.url}/v1/public/session-shares/${path}`)
    const seen = await anonymous(String(share.public_token))
    expect(await seen.json()).toMatchObject({ share: { label: 'Docs' }, session: { title: 'Demo', status: 'queued' } })
    expect((await anonymous(`${share.public_token}/messages`)).status).toBe(404)
    expect((await anonymous('0'.repeat(32))).status).toBe(404)
    await world.call(`DELETE ${at}/${share.share_id}`)
    expect((await anonymous(String(share.public_token))).status).toBe(410)
  })
})

test('a service account may narrow the secrets of a session, to secrets that exist', async () => {
  const account = await send(world.url, world.owner, `GET /v1/projects/${world.projectId}`)
  const minted = await send(world.url, world.owner, 'POST /v1/accounts/tokens', {
    account_id: account.body.account_id,
    name: 'backend',
  })
  const backend: Person = {
    ...world.owner,
    headers: { ...world.owner.headers, authorization: `Bearer ${minted.body.secret_key}` },
  }
  const missing = await world.call('POST /sessions', { secrets: ['NOWHERE'] }, backend)
  expect([missing.status, missing.body.code]).toEqual([404, 'secret_identifier_not_found'])
  await world.call('POST /secrets', { name: 'API', identifier: 'one', value: 'x' })
  await world.call('POST /secrets', { name: 'API', identifier: 'two', value: 'y' })
  const both = await world.call('POST /sessions', { secrets: ['one', 'two'] }, backend)
  expect([both.status, both.body.code]).toEqual([409, 'secret_identifier_key_collision'])
  const made = await make({ secrets: ['one'] }, backend)
  const read = await world.call(`GET /sessions/${made}`, undefined, backend)
  expect(read.body).toMatchObject({ origin: 'backend', secrets_allowlist: ['one'] })
})
