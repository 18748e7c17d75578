import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson, type Person } from '../../../../tests/support/people.ts'
import { createCaller } from '../accounts/testing/client.ts'
import { startProjectWorld } from '../projects/testing/project-world.ts'

let world: Awaited<ReturnType<typeof startProjectWorld>>
let call: ReturnType<typeof createCaller>
let owner: Person
let accountId: string
let at: string
beforeAll(async () => {
  world = await startProjectWorld()
  call = createCaller(world.platform.url)
  owner = world.owner
  const project = await world.provision()
  accountId = project.account_id
  at = `/v1/projects/${project.project_id}`
})
afterAll(() => world?.stop())

const inAYear = new Date(Date.now() + 365 * 24 * 3_600_000).toISOString()
const unknownId = '0190a1b2-0000-7000-8000-00000000beef'
const person = () => createPerson(world.platform)
const invite = (email: string, role = 'member', path = at) => call(owner, `POST ${path}/access/invite`, { email, role })
const readMember = async ({ userId }: Person, path = at) => {
  const { body } = await call(owner, `GET ${path}/access`)
  return body.members.find((member: { user_id: string }) => member.user_id === userId)
}
async function addMember(role = 'member', path = at): Promise<Person> {
  const added = await person()
  expect((await invite(added.email, role, path)).status).toBe(200)
  return added
}
async function makeProject(): Promise<string> {
  return `/v1/projects/${(await world.provision()).project_id}`
}

describe('people', () => {
  test('somebody known is added at once, to the account too, and can work in the project', async () => {
    const anna = await person()
    expect((await call(anna, `GET ${at}`)).status).toBe(403)
    const { status, body } = await invite(anna.email)
    expect(status).toBe(200)
    expect(body).toEqual({
      user_id: anna.userId,
      email: anna.email,
      account_role: 'member',
      project_role: 'member',
      effective_project_role: 'member',
      has_implicit_access: false,
    })
    expect((await call(anna, `GET ${at}`)).status).toBe(200)
    const list = await call(anna, `GET ${at}/access`)
    expect(list.body).toMatchObject({ account_id: accountId, can_manage: false, viewer_user_id: anna.userId })
    expect(list.body.members[0]).toMatchObject({
      user_id: owner.userId,
      account_role: 'owner',
      effective_project_role: 'manager',
      effective_source: 'implicit',
      has_implicit_access: true,
    })
  })

  test('a new role replaces the old one and may expire; the past and unknown roles are refused', async () => {
    const bea = await addMember('member')
    const path = `PUT ${at}/access/${bea.userId}`
    expect((await call(owner, path, { role: 'manager', expires_at: inAYear })).body.project_role).toBe('manager')
    expect(await readMember(bea)).toMatchObject({
      project_role: 'manager',
      effective_source: 'direct',
      expires_at: inAYear,
      granted_by: owner.userId,
    })
    for (const body of [{ role: 'owner' }, {}, { role: 'member', expires_at: '2001-01-01T00:00:00Z' }]) {
      expect((await call(owner, path, body)).status).toBe(400)
    }
    expect((await call(owner, `PUT ${at}/access/${unknownId}`, { role: 'member' })).status).toBe(404)
    expect((await call(bea, path, { role: 'member' })).status).toBe(200)
    expect((await call(bea, path, { role: 'manager' })).status).toBe(403)
  })

  test('owners and admins keep their implicit access: a role of their own is dropped, and none is revoked', async () => {
    const carl = await addMember('manager')
    await call(owner, `PATCH /v1/accounts/${accountId}/members/${carl.userId}`, { role: 'admin' })
    const { body } = await call(owner, `PUT ${at}/access/${carl.userId}`, { role: 'member' })
    expect(body).toMatchObject({ project_role: null, effective_project_role: 'manager', has_implicit_access: true })
    const revoked = await call(owner, `DELETE ${at}/access/${carl.userId}`)
    expect([revoked.status, revoked.body.code]).toEqual([409, 'implicit_access'])
  })

  test('whoever is revoked is out at once and stays a member of the account; twice is not found', async () => {
    const dora = await addMember()
    expect((await call(owner, `DELETE ${at}/access/${dora.userId}`)).body).toEqual({ ok: true })
    expect((await call(dora, `GET ${at}`)).status).toBe(403)
    expect(await readMember(dora)).toMatchObject({ effective_project_role: null, effective_source: null })
    expect((await call(owner, `DELETE ${at}/access/${dora.userId}`)).status).toBe(404)
    expect((await call(owner, `DELETE ${at}/access/${unknownId}`)).status).toBe(404)
  })

  test('a member reads the list and changes nothing; a stranger and another tenant see nothing', async () => {
    const [mate, stranger] = [await addMember(), await person()]
    for (const [route, body] of [
      [`POST ${at}/access/invite`, { email: 'x@example.com', role: 'member' }],
      [`PUT ${at}/access/${owner.userId}`, { role: 'member' }],
      [`DELETE ${at}/access/${owner.userId}`, undefined],
      [`GET ${at}/access/pending-invites`, undefined],
      [`GET ${at}/access-requests`, undefined],
      [`GET ${at}/group-grants`, undefined],
      [`GET ${at}/resource-grants`, undefined],
    ] as const) {
      expect([route, (await call(mate, route, body)).status]).toEqual([route, 403])
      expect([route, (await call(stranger, route, body)).status]).toEqual([route, 403])
    }
    const theirs = await world.provision({}, stranger)
    const there = `/v1/projects/${theirs.project_id}`
    const { body } = await call(stranger, `GET ${there}/access`)
    expect(body.members.map((one: { user_id: string }) => one.user_id)).toEqual([stranger.userId])
    const ours = await call(stranger, `PUT ${there}/access/${mate.userId}`, { role: 'member' })
    expect(ours.status).toBe(404)
  })
})

describe('invitations', () => {
  test('an unknown address gets one invitation whose projects add up; accepting gives them all', async () => {
    const other = await makeProject()
    const email = 'new.person@example.com'
    const first = await invite(email, 'manager')
    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({
      status: 'invited',
      email,
      project_role: 'manager',
      email_sent: false,
      email_skip_reason: 'email_not_configured',
    })
    const second = await invite(email, 'member', other)
    expect(second.body.invite_id).toBe(first.body.invite_id)
    const { body } = await call(owner, `GET ${at}/access/pending-invites`)
    expect(body.pending).toMatchObject([
      { invite_id: first.body.invite_id, email, project_role: 'manager', invite_expired: false, expires_at: null },
    ])
    const guest = await createPerson(world.platform, { email })
    const accepted = await call(guest, `POST /v1/account-invites/${first.body.invite_id}/accept`)
    expect(accepted.status).toBe(200)
    expect(await readMember(guest)).toMatchObject({ project_role: 'manager' })
    expect(await readMember(guest, other)).toMatchObject({ project_role: 'member' })
    expect((await call(owner, `GET ${at}/access/pending-invites`)).body.pending).toEqual([])
    for (const route of ['POST resend', 'DELETE']) {
      const [method, tail] = route.split(' ')
      const path = `${at}/access/pending-invites/${first.body.invite_id}${tail ? `/${tail}` : ''}`
      const again = await call(owner, `${method} ${path}`)
      expect([route, again.status, again.body.code]).toEqual([route, 409, 'invite_accepted'])
    }
  })

  test('whoever was revoked does not come back by the old invitation', async () => {
    const email = 'once@example.com'
    const { body } = await invite(email)
    const guest = await createPerson(world.platform, { email })
    await call(guest, `POST /v1/account-invites/${body.invite_id}/accept`)
    await call(owner, `DELETE ${at}/access/${guest.userId}`)
    await call(guest, `POST /v1/account-invites/${body.invite_id}/accept`)
    expect((await call(guest, `GET ${at}`)).status).toBe(403)
  })

  test('a manager of a project gives nobody a role in the account by an admin’s invitation', async () => {
    const manager = await addMember('manager')
    const email = 'future.admin@example.com'
    const offer = (by: Person) => call(by, `POST ${at}/access/invite`, { email, role: 'member' })
    const asAdmin = await call(owner, `POST /v1/accounts/${accountId}/members`, { email, role: 'admin' })
    const refused = await offer(manager)
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    expect(JSON.stringify(refused.body)).not.toContain(asAdmin.body.invite_id)
    expect((await offer(owner)).body.invite_id).toBe(asAdmin.body.invite_id)
    const resend = `POST ${at}/access/pending-invites/${asAdmin.body.invite_id}/resend`
    expect((await call(manager, resend)).status).toBe(403)

    await world.platform.database.sql`
      update svc.account_invites set expires_at = now() - interval '1 minute' where email = ${email}`
    expect((await call(manager, resend)).status).toBe(403)
    const { status, body } = await offer(manager)
    expect(status).toBe(201)
    const guest = await createPerson(world.platform, { email })
    const accepted = await call(guest, `POST /v1/account-invites/${body.invite_id}/accept`)
    expect([accepted.status, accepted.body.account_role]).toEqual([200, 'member'])
  })

  test('taking the last project out cancels it; resend starts its fourteen days anew', async () => {
    const other = await makeProject()
    const email = 'maybe@example.com'
    const { body } = await invite(email)
    await invite(email, 'member', other)
    const path = `access/pending-invites/${body.invite_id}`
    const resent = await call(owner, `POST ${at}/${path}/resend`)
    expect(resent.body).toMatchObject({ ok: true, email_sent: false })
    expect(Date.parse(resent.body.expires_at)).toBeGreaterThan(Date.now() + 13 * 24 * 3_600_000)
    const one = await call(owner, `DELETE ${at}/${path}`)
    expect(one.body).toEqual({ ok: true, invitation_cancelled: false })
    expect((await call(owner, `DELETE ${at}/${path}`)).status).toBe(404)
    expect((await call(owner, `DELETE ${other}/${path}`)).body.invitation_cancelled).toBe(true)
    expect((await call(owner, `POST ${other}/${path}/resend`)).status).toBe(404)
    const late = await createPerson(world.platform, { email })
    expect((await call(late, `GET ${at}`)).status).toBe(403)
  })
})

describe('requests', () => {
  test('somebody asks once; approval gives membership and role, and is given once', async () => {
    const frida = await person()
    const asked = await call(frida, `POST ${at}/access-requests`, { message: `please ${'x'.repeat(3000)}` })
    expect([asked.status, asked.body.status]).toEqual([201, 'created'])
    expect(asked.body.request.message).toHaveLength(2000)
    const again = await call(frida, `POST ${at}/access-requests`, {})
    expect([again.status, again.body.status, again.body.request.request_id]).toEqual([
      200,
      'pending',
      asked.body.request.request_id,
    ])
    const { body: list } = await call(owner, `GET ${at}/access-requests`)
    expect(list.requests[0]).toMatchObject({ requester_email: frida.email, status: 'pending' })
    const path = `${at}/access-requests/${asked.body.request.request_id}`
    const both = await Promise.all([
      call(owner, `POST ${path}/approve`, { role: 'manager' }),
      call(owner, `POST ${path}/approve`, { role: 'manager' }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const approved = both.find(({ status }) => status === 200)
    expect(approved?.body).toMatchObject({
      request: { status: 'approved', reviewed_by: owner.userId },
      member: { user_id: frida.userId, account_role: 'member', project_role: 'manager' },
    })
    const now = await call(frida, `POST ${at}/access-requests`, {})
    expect([now.status, now.body.status]).toEqual([200, 'already_has_access'])
    const mails = await world.platform.database.sql`select to_address from svc.mails where to_address = ${owner.email}`
    expect(mails.length).toBeGreaterThan(0)
  })

  test('a rejected one can be asked again; of an unknown project nobody learns anything', async () => {
    const gus = await person()
    const { body } = await call(gus, `POST ${at}/access-requests`, {})
    const path = `${at}/access-requests/${body.request.request_id}`
    expect((await call(owner, `POST ${path}/reject`)).body.request.status).toBe('rejected')
    expect((await call(owner, `POST ${path}/approve`, {})).body.code).toBe('access_request_reviewed')
    expect((await call(gus, `POST ${at}/access-requests`, {})).status).toBe(201)
    expect((await call(owner, `POST ${at}/access-requests/${unknownId}/reject`)).status).toBe(404)
    expect((await call(gus, `POST /v1/projects/${unknownId}/access-requests`, {})).status).toBe(404)
    const elsewhere = await makeProject()
    expect((await call(owner, `POST ${elsewhere}/access-requests/${body.request.request_id}/reject`)).status).toBe(404)
  })
})

describe('groups', () => {
  test('give their members access; a change without an expiry keeps it; detached it is gone', async () => {
    const hans = await person()
    await call(owner, `POST /v1/accounts/${accountId}/members`, { email: hans.email })
    const { body: group } = await call(owner, `POST /v1/accounts/${accountId}/iam/groups`, { name: 'Team' })
    const members = { userIds: [hans.userId, owner.userId] }
    await call(owner, `POST /v1/accounts/${accountId}/iam/groups/${group.group_id}/members`, members)
    const grant = { group_id: group.group_id, role: 'member', expires_at: inAYear }
    const attached = await call(owner, `POST ${at}/group-grants`, grant)
    expect(attached.status).toBe(201)
    expect((await call(hans, `GET ${at}`)).status).toBe(200)
    expect(await readMember(hans)).toMatchObject({
      project_role: null,
      effective_project_role: 'member',
      effective_source: 'group',
      group_sources: [{ group_id: group.group_id, group_name: 'Team', role: 'member' }],
    })
    await call(owner, `PATCH ${at}/group-grants/${group.group_id}`, { role: 'manager' })
    const { body } = await call(owner, `GET ${at}/group-grants`)
    expect(body.grants).toMatchObject([
      { group_name: 'Team', role: 'manager', expires_at: inAYear, member_count: 2, override_count: 1 },
    ])
    expect((await call(owner, `DELETE ${at}/group-grants/${group.group_id}`)).body).toEqual({ ok: true })
    expect((await call(hans, `GET ${at}`)).status).toBe(403)
    expect((await call(owner, `PATCH ${at}/group-grants/${group.group_id}`, { role: 'member' })).status).toBe(404)
    expect((await call(owner, `POST ${at}/group-grants`, { ...grant, group_id: unknownId })).status).toBe(404)
  })

  test('of another account are not found', async () => {
    const stranger = await person()
    const { body: me } = await call(stranger, 'GET /v1/accounts')
    const { body } = await call(stranger, `POST /v1/accounts/${me[0].account_id}/iam/groups`, { name: 'Theirs' })
    const grant = { group_id: body.group_id, role: 'member' }
    expect((await call(owner, `POST ${at}/group-grants`, grant)).status).toBe(404)
  })
})

describe('single agents and secrets', () => {
  test('a grant names somebody on what exists, shuts others out, and says when its object is gone', async () => {
    const ida = await addMember()
    await call(owner, `POST ${at}/secrets`, { name: 'NAMED', value: 'x' })
    const { body: before } = await call(owner, `GET ${at}/resource-grants`)
    const agent = before.resources.agents[0]
    expect(agent).toMatchObject({ id: expect.any(String), declares: expect.any(Object) })
    const grant = { resource_type: 'agent', resource_id: agent.id, principal_type: 'member', principal_id: ida.userId }
    const created = await call(owner, `POST ${at}/resource-grants`, grant)
    expect([created.status, created.body.resource_id]).toEqual([201, agent.id])
    const again = await call(owner, `POST ${at}/resource-grants`, grant)
    expect(again.body.grant_id).toBe(created.body.grant_id)
    const secret = { ...grant, resource_type: 'secret', resource_id: 'NAMED' }
    await call(owner, `POST ${at}/resource-grants`, secret)
    const orphans = async () =>
      (await readMember(ida)).resource_grants.map(({ orphaned }: { orphaned: boolean }) => orphaned)
    expect(await orphans()).toEqual([false, false])
    await call(owner, `DELETE ${at}/secrets/NAMED`)
    expect(await orphans()).toEqual([false, true])
    const { body } = await call(owner, `GET ${at}/resource-grants`)
    expect(body.grants).toMatchObject([
      { resource_type: 'agent', principal_label: ida.email, orphaned: false },
      { resource_type: 'secret', resource_id: 'NAMED', orphaned: true },
    ])
    expect((await readMember(ida)).resource_grants).toHaveLength(2)
    expect((await call(owner, `DELETE ${at}/resource-grants/${created.body.grant_id}`)).body).toEqual({ ok: true })
    expect((await call(owner, `DELETE ${at}/resource-grants/${created.body.grant_id}`)).status).toBe(404)
  })

  test('what does not exist is refused, and whom nobody knows is not found', async () => {
    const { body } = await call(owner, `GET ${at}/resource-grants`)
    const agent = { resource_type: 'agent', resource_id: body.resources.agents[0].id }
    const me = { principal_type: 'member', principal_id: owner.userId }
    const unknown = await call(owner, `POST ${at}/resource-grants`, { ...agent, ...me, resource_id: 'nobody' })
    expect([unknown.status, unknown.body.code]).toEqual([400, 'unknown_resource'])
    const kind = await call(owner, `POST ${at}/resource-grants`, { ...agent, ...me, resource_type: 'file' })
    expect(kind.status).toBe(400)
    for (const principal of [
      { principal_type: 'member', principal_id: (await person()).userId },
      { principal_type: 'group', principal_id: unknownId },
    ]) {
      expect((await call(owner, `POST ${at}/resource-grants`, { ...agent, ...principal })).status).toBe(404)
    }
  })

  test('a role in the project is not taken away as if it were a grant', async () => {
    const jon = await addMember()
    const [row] = await world.platform.database.sql`
      select assignment_id from svc.assignments where principal_id = ${jon.userId} and scope_type = 'project'`
    expect((await call(owner, `DELETE ${at}/resource-grants/${row?.assignment_id}`)).status).toBe(404)
    expect((await call(jon, `GET ${at}`)).status).toBe(200)
  })
})

describe('API keys', () => {
  test('work in their project alone, show their secret once, and end at once', async () => {
    const { status, body } = await call(owner, `POST ${at}/cli-token`, {})
    expect([status, body.name]).toEqual([201, 'cli · Test project'])
    expect(body.secret_key).toMatch(/^svc_pat_/)
    const key: string = body.secret_key
    expect((await call(key, `GET ${at}`)).status).toBe(200)
    expect((await call(key, `GET ${await makeProject()}`)).status).toBe(403)
    const list = await call(owner, `GET ${at}/cli-token`)
    expect(list.body.items[0]).toMatchObject({ token_id: body.token_id, public_key: body.public_key, status: 'active' })
    expect(JSON.stringify(list.body)).not.toContain(key)
    expect((await call(owner, `DELETE ${at}/cli-token/${body.token_id}`)).body).toEqual({ ok: true })
    expect((await call(key, `GET ${at}`)).status).toBe(401)
    expect((await call(owner, `DELETE ${at}/cli-token/${body.token_id}`)).status).toBe(404)
  })

  test('a long name is cut, an agent makes none, a member neither, and another project’s key is not found', async () => {
    const long = await call(owner, `POST ${at}/cli-token`, { name: 'n'.repeat(300) })
    expect(long.body.name).toHaveLength(255)
    const { token } = await world.sessionToken({ project_id: at.slice('/v1/projects/'.length), account_id: accountId })
    expect((await call(token, `POST ${at}/cli-token`, {})).status).toBe(403)
    expect((await call(await addMember(), `POST ${at}/cli-token`, {})).status).toBe(403)
    const elsewhere = await makeProject()
    expect((await call(owner, `DELETE ${elsewhere}/cli-token/${long.body.token_id}`)).status).toBe(404)
  })
})
