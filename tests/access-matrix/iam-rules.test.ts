import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Caller, startMatrix, type World } from './world.ts'

/** The rules of assignments, roles, groups and service accounts, through the API and by the status each answers. */

let matrix: Awaited<ReturnType<typeof startMatrix>>
let world: World
beforeAll(async () => {
  matrix = await startMatrix()
})
beforeEach(async () => {
  world = await matrix.makeWorld()
})
afterAll(() => matrix.stop())

async function api(caller: Caller, method: string, path: string, body?: unknown) {
  const response = await fetch(`${matrix.url}/v1/accounts/${world.tenant.accountId}/iam${path}`, {
    method,
    headers: { authorization: `Bearer ${world.bearers[caller]}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = JSON.parse(await response.text())
  return { status: response.status, answer, headers: response.headers }
}

async function auditActions(): Promise<string[]> {
  const rows = await matrix.sql`
    select action from svc.audit_events where account_id = ${world.tenant.accountId} and action like 'iam.%' order by action`
  return rows.map((row) => row.action)
}

const grant = (over: object = {}) => ({
  principal_type: 'user',
  principal_id: world.tenant.memberId,
  scope_type: 'project',
  scope_id: world.tenant.otherProjectId,
  role_key: 'member',
  ...over,
})

describe('an assignment', () => {
  test('is created, listed, renewed and revoked, each with its audit event', async () => {
    const created = await api('owner', 'POST', '/assignments', grant())
    expect(created).toMatchObject({
      status: 201,
      answer: { role_id: 'builtin:user', role_key: 'member', role_is_system: true, source: 'manual', object_id: null },
    })
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const renewed = await api('owner', 'POST', '/assignments', grant({ expires_at }))
    expect(renewed.answer).toMatchObject({ assignment_id: created.answer.assignment_id, expires_at })
    const query = `?principal_type=user&principal_id=${world.tenant.memberId}&scope_id=${world.tenant.otherProjectId}`
    const listed = await api('owner', 'GET', `/assignments${query}`)
    expect(listed.answer.assignments).toEqual([renewed.answer])
    const revoked = await api('owner', 'DELETE', `/assignments/${created.answer.assignment_id}`)
    expect(revoked).toMatchObject({ status: 200, answer: { revoked: true, assignment: renewed.answer } })
    expect((await api('owner', 'DELETE', `/assignments/${created.answer.assignment_id}`)).status).toBe(404)
    expect(await auditActions()).toEqual(['iam.assignment.granted', 'iam.assignment.granted', 'iam.assignment.revoked'])
  })

  test('of the wrong shape is 400, by the field that is wrong', async () => {
    const past = new Date(Date.now() - 1000).toISOString()
    const wrong: [object, string][] = [
      [{ scope_id: null }, 'scope_id'],
      [{ scope_type: 'account' }, 'scope_id'],
      [{ object_type: 'agent' }, 'object_id'],
      [{ scope_type: 'account', scope_id: null, object_type: 'agent', object_id: 'a' }, 'scope_type'],
      [{ role_key: 'owner' }, 'scope_type'],
      [{ role_key: 'nobody' }, 'role_key'],
      [{ role_key: undefined }, 'role_id'],
      [{ expires_at: past }, 'expires_at'],
      [{ principal_id: 'me' }, 'principal_id'],
      [{ principal_type: 'group', scope_type: 'account', scope_id: null, role_key: 'owner' }, 'principal_type'],
    ]
    for (const [over, path] of wrong) {
      const { status, answer } = await api('owner', 'POST', '/assignments', grant(over))
      expect([over, status, answer.issues?.[0]?.path]).toEqual([over, 400, path])
    }
    const half = await api('owner', 'GET', '/assignments?principal_type=user')
    expect(half.status).toBe(400)
    const unknownKey = await api('owner', 'POST', '/assignments', grant({ role_key: 'nobody' }))
    expect(unknownKey.answer.error).toMatch(/manager, member, owner, admin, agent-user/)
  })

  test('of a role, project or principal that does not exist here is 404', async () => {
    const { outsider } = world
    for (const over of [
      { role_key: undefined, role_id: randomUUID() },
      { role_key: undefined, role_id: outsider.roleId },
      { scope_id: randomUUID() },
      { scope_id: outsider.projectId },
      { principal_id: randomUUID() },
      { principal_type: 'group', principal_id: outsider.groupId },
      { principal_type: 'service_account', principal_id: outsider.serviceAccountId },
    ]) {
      const { status } = await api('owner', 'POST', '/assignments', grant(over))
      expect([over, status]).toEqual([over, 404])
    }
  })

  test('needs what it grants: managers their project, admins no owners, custom roles policy.create', async () => {
    const own = { scope_id: world.tenant.projectId }
    expect((await api('manager', 'POST', '/assignments', grant(own))).status).toBe(201)
    expect((await api('manager', 'POST', '/assignments', grant())).status).toBe(403)
    const custom = { ...own, role_key: undefined, role_id: world.tenant.roleId }
    expect((await api('manager', 'POST', '/assignments', grant(custom))).status).toBe(403)
    const account = { scope_type: 'account', scope_id: null }
    expect((await api('admin', 'POST', '/assignments', grant({ ...account, role_key: 'owner' }))).status).toBe(403)
    expect((await api('admin', 'POST', '/assignments', grant({ ...account, role_key: 'admin' }))).status).toBe(201)
    const named = { ...own, role_key: 'agent-user', object_type: 'agent', object_id: 'builder' }
    expect((await api('manager', 'POST', '/assignments', grant(named))).status).toBe(201)
    expect((await api('admin', 'POST', '/assignments', grant(custom))).status).toBe(201)
    await matrix.sql`update svc.roles set actions = ${['token.create']} where role_id = ${world.tenant.roleId}`
    const reserved = await api('admin', 'POST', '/assignments', grant(custom))
    expect(reserved).toMatchObject({ status: 403, answer: { code: 'role_not_assignable' } })
  })

  test('of a custom role answers 402 while the instance does not include them', async () => {
    const custom = grant({ role_key: undefined, role_id: world.tenant.roleId })
    await matrix.sql`update svc.instance_settings set entitlements = '{}'`
    const status = async () => (await api('owner', 'POST', '/assignments', custom)).status
    await expect.poll(status).toBe(402)
    const { answer } = await api('owner', 'POST', '/groups', { name: 'Needs the plan' })
    expect(answer).toMatchObject({ code: 'entitlement_required', entitlement: 'rbac' })
    await matrix.sql`update svc.instance_settings set entitlements = '{rbac,auditAccess,branding}'`
    await expect.poll(status).toBe(201)
  })

  test('of the last owner, or of somebody’s only account role, is not revoked', async () => {
    const held = await api('owner', 'GET', '/assignments?scope_type=account')
    const of = (id: string) =>
      held.answer.assignments.find((row: { principal_id: string }) => row.principal_id === id)?.assignment_id
    const last = await api('owner', 'DELETE', `/assignments/${of(world.tenant.ownerId)}`)
    expect(last).toMatchObject({ status: 409, answer: { code: 'last_owner' } })
    const only = await api('owner', 'DELETE', `/assignments/${of(world.tenant.memberId)}`)
    expect(only).toMatchObject({ status: 409, answer: { code: 'only_account_role' } })
  })

  test('list pages through more than a thousand without missing one', async () => {
    await matrix.sql`
      insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type)
      select gen_random_uuid(), ${world.tenant.accountId}, 'pending', gen_random_uuid(), 'builtin:member', 'account'
      from generate_series(1, 1500)`
    const seen = new Set<string>()
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await api('owner', 'GET', `/assignments${cursor === '' ? '' : `?cursor=${cursor}`}`)
      for (const row of page.answer.assignments) seen.add(row.assignment_id)
      cursor = page.headers.get('x-next-cursor')
    }
    const [stored] = await matrix.sql`
      select count(*)::int as count from svc.assignments where account_id = ${world.tenant.accountId}`
    expect(seen.size).toBe(stored?.count)
    expect((await api('owner', 'GET', '/assignments?cursor=WyJ4IiwieSJd')).status).toBe(400)
  })
})

describe('a custom role', () => {
  test('is created, changed and deleted with its assignments; system roles stay', async () => {
    const draft = { key: 'reader', name: 'Reader', actions: ['project.read', 'project.session.read'] }
    const created = await api('owner', 'POST', '/roles', draft)
    expect(created).toMatchObject({
      status: 201,
      answer: { key: 'reader', resource_type: 'project', is_system: false },
    })
    expect((await api('owner', 'POST', '/roles', draft)).status).toBe(409)
    const id = created.answer.role_id
    const role = { role_key: undefined, role_id: id }
    await api('owner', 'POST', '/assignments', grant(role))
    expect((await api('owner', 'GET', `/roles/${id}/usage`)).answer).toEqual({ role_id: id, policy_count: 1 })
    const set = await api('owner', 'PUT', `/roles/${id}/permissions`, { actions: ['project.read'] })
    expect(set.answer).toEqual({ role_id: id, actions: ['project.read'] })
    expect((await api('owner', 'PATCH', `/roles/${id}`, { name: 'Looks' })).answer.name).toBe('Looks')
    expect((await api('owner', 'DELETE', `/roles/${id}`)).answer).toEqual({ deleted: true })
    expect((await api('owner', 'GET', `/assignments?role_id=${id}`)).answer.assignments).toEqual([])
    for (const method of ['PATCH', 'DELETE']) {
      const refused = await api('owner', method, '/roles/builtin:owner', method === 'PATCH' ? { name: 'x' } : undefined)
      expect(refused).toMatchObject({ status: 400, answer: { code: 'system_role' } })
    }
  })

  test('carries no unknown, reserved or misplaced action', async () => {
    for (const action of ['project.nothing', 'member.invite', 'account.read']) {
      const { status } = await api('owner', 'POST', '/roles', { key: 'bad', name: 'Bad', actions: [action] })
      expect([action, status]).toEqual([action, 400])
    }
  })

  test('the catalog lists 72 permissions, the roles begin with the system’s', async () => {
    expect((await api('owner', 'GET', '/permissions')).answer.permissions).toHaveLength(72)
    expect((await api('owner', 'GET', '/permissions?scope_type=account')).answer.permissions).toHaveLength(27)
    const { roles } = (await api('owner', 'GET', '/roles')).answer
    expect(roles.map((role: { role_id: string }) => role.role_id)).toEqual([
      'builtin:manager',
      'builtin:user',
      'builtin:owner',
      'builtin:admin',
      'builtin:member',
      'builtin:agent-user',
      world.tenant.roleId,
    ])
    const member = await api('owner', 'GET', '/roles/builtin:member/permissions')
    expect(member.answer.actions).toEqual(['account.read', 'billing.read', 'group.read', 'member.read', 'token.read'])
  })
})

describe('a group', () => {
  test('gives its members what is assigned to it, until they leave it or it goes', async () => {
    const created = await api('owner', 'POST', '/groups', { name: 'Builders' })
    expect(created.status).toBe(201)
    expect((await api('owner', 'POST', '/groups', { name: 'Builders' })).status).toBe(409)
    const id = created.answer.group_id
    const members = { userIds: [world.tenant.memberId] }
    expect((await api('owner', 'POST', `/groups/${id}/members`, members)).answer).toEqual({ added: 1 })
    expect((await api('owner', 'POST', `/groups/${id}/members`, members)).answer).toEqual({ added: 0 })
    const stranger = await api('owner', 'POST', `/groups/${id}/members`, { userIds: [world.outsider.ownerId] })
    expect(stranger.status).toBe(404)
    await api(
      'owner',
      'POST',
      '/assignments',
      grant({ principal_type: 'group', principal_id: id, role_key: 'manager' }),
    )
    const counted = { member_count: 1, project_count: 1 }
    expect((await api('owner', 'GET', `/groups/${id}`)).answer).toMatchObject(counted)
    const probe = { probes: [{ action: 'project.delete', project_id: world.tenant.otherProjectId }] }
    const through = await api('member', 'POST', '/explain', probe)
    expect(through.answer.results[0]).toMatchObject({ allowed: true, decided_by: { role_key: 'manager' } })
    await api('owner', 'DELETE', `/groups/${id}/members/${world.tenant.memberId}`)
    expect((await api('member', 'POST', '/explain', probe)).answer.results[0].allowed).toBe(false)
    expect((await api('owner', 'DELETE', `/groups/${id}`)).answer).toEqual({ deleted: true })
    expect((await api('owner', 'GET', `/groups/${id}`)).status).toBe(404)
  })
})

describe('a service account', () => {
  test('shows its secret once, works once something is assigned, and stops at once when disabled', async () => {
    const created = await api('owner', 'POST', '/service-accounts', { name: 'Robot' })
    expect(created).toMatchObject({
      status: 201,
      answer: { status: 'active', public_prefix: expect.stringMatching(/…$/) },
    })
    const { service_account_id: id, secret } = created.answer
    world = { ...world, bearers: { ...world.bearers, 'idle service account': secret } }
    const denial = { status: 403, answer: { error: 'You do not have access to this project' } }
    expect(await api('idle service account', 'GET', '/roles')).toMatchObject(denial)
    const account = { scope_type: 'account', scope_id: null, role_key: 'admin' }
    await api(
      'owner',
      'POST',
      '/assignments',
      grant({ ...account, principal_type: 'service_account', principal_id: id }),
    )
    expect((await api('idle service account', 'GET', '/roles')).status).toBe(200)
    expect((await api('owner', 'POST', `/service-accounts/${id}/disable`)).answer).toEqual({ disabled: true })
    expect((await api('idle service account', 'GET', '/roles')).status).toBe(401)
    const twice = await api('owner', 'POST', `/service-accounts/${id}/disable`)
    expect(twice).toMatchObject({ status: 409, answer: { code: 'already_disabled' } })
    expect((await api('owner', 'DELETE', `/service-accounts/${id}`)).answer).toEqual({ deleted: true })
    const listed = JSON.stringify((await api('owner', 'GET', '/service-accounts')).answer)
    expect(listed).not.toContain(id)
    expect(listed).not.toContain(secret)
  })
})

describe('explain', () => {
  test('answers for oneself, and for others only with policy.read', async () => {
    const probes = [{ action: 'member.invite' }, { action: 'no.such.thing' }]
    const own = await api('member', 'POST', '/explain', { probes })
    expect(own.answer.results[0]).toMatchObject({
      allowed: false,
      reason: expect.stringMatching(/member does not allow member\.invite/),
      decided_by: { step: 'account_role', role_key: 'member' },
    })
    expect(own.answer.results[1]).toMatchObject({ allowed: false })
    const principal = { type: 'user', id: world.tenant.ownerId }
    expect((await api('member', 'POST', '/explain', { probes, principal })).status).toBe(403)
    const other = await api('admin', 'POST', '/explain', { probes, principal })
    expect(other.answer.results[0]).toMatchObject({ allowed: true, decided_by: { role_key: 'owner' } })
  })
})
