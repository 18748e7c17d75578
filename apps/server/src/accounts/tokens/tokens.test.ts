import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { newId } from '../../kernel/ids/index.ts'
import { createCaller } from '../testing/client.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let call: ReturnType<typeof createCaller>
beforeAll(async () => {
  platform = await startTestPlatform()
  call = createCaller(platform.url)
})
afterAll(() => platform.stop())

async function createTeam() {
  const [owner, member] = [await createPerson(platform), await createPerson(platform)]
  const { body } = await call(owner, 'POST /v1/accounts', { name: 'Team' })
  const id: string = body.account_id
  await call(owner, `POST /v1/accounts/${id}/members`, { email: member.email })
  const projectId = newId()
  await platform.database.sql`
    insert into svc.projects (project_id, account_id, name) values (${projectId}, ${id}, 'P')`
  return { owner, member, id, projectId }
}

describe('a key', () => {
  test('shows its secret once, acts for its owner in its account alone, and dies at once when revoked', async () => {
    const { member, id } = await createTeam()
    const made = await call(member, 'POST /v1/accounts/tokens', { name: 'ci', account_id: id })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ name: 'ci', project_id: null, status: 'active', expires_at: null })
    expect(made.body.secret_key).toMatch(/^svc_pat_[0-9A-Za-z]{38}$/)
    expect(made.body.public_key).toMatch(/^pk_[0-9A-Za-z]{32}$/)
    const key: string = made.body.secret_key

    const me = await call(key, 'GET /v1/accounts/me')
    expect(me.body).toMatchObject({ user_id: member.userId, accounts: [{ account_id: id, role: 'member' }] })
    expect(me.body.token_context.auth_type).toBe('pat')
    const elsewhere = await call(member, 'POST /v1/accounts', { name: 'Elsewhere' })
    expect((await call(key, `GET /v1/accounts/${elsewhere.body.account_id}`)).status).toBe(403)

    for (const route of [
      `GET /v1/accounts/tokens?account_id=${id}`,
      `GET /v1/accounts/tokens?account_id=${id}&mine=1`,
    ]) {
      const { body, status } = await call(member, route)
      expect([status, body.length]).toEqual([200, 1])
      expect(JSON.stringify(body)).not.toContain(key.slice('svc_pat_'.length))
      expect(Object.keys(body[0]).sort()).toEqual(
        'created_at expires_at last_used_at name project_id public_key revoked_at status token_id'.split(' '),
      )
    }
    const stored = await platform.database.sql`select * from svc.tokens where token_id = ${made.body.token_id}`
    const events = await platform.database.sql`select * from svc.audit_events where resource_id = ${made.body.token_id}`
    expect(JSON.stringify([stored, events, platform.logLines()])).not.toContain(key)
    expect(events.map((event) => event.action)).toContain('iam.token.create')

    const path = `/v1/accounts/tokens/${made.body.token_id}?account_id=${id}`
    expect((await call(key, `DELETE ${path}`)).body).toEqual({ ok: true })
    expect((await call(key, 'GET /v1/accounts/me')).status).toBe(401)
    expect((await call(member, `DELETE ${path}`)).status).toBe(404)
    const { body: after } = await call(member, `GET /v1/accounts/tokens?account_id=${id}`)
    expect(after[0]).toMatchObject({ status: 'revoked' })
    expect(after[0].revoked_at).not.toBeNull()
  })

  test('of somebody else is revoked by admins only, and listed to every member', async () => {
    const { owner, member, id } = await createTeam()
    const { body: key } = await call(owner, 'POST /v1/accounts/tokens', { name: 'owner’s', account_id: id })
    const path = `DELETE /v1/accounts/tokens/${key.token_id}?account_id=${id}`
    expect((await call(member, `GET /v1/accounts/tokens?account_id=${id}`)).body).toHaveLength(1)
    expect((await call(member, `GET /v1/accounts/tokens?account_id=${id}&mine=true`)).body).toEqual([])
    expect((await call(member, `GET /v1/accounts/tokens?account_id=${id}&mine=maybe`)).status).toBe(400)
    expect((await call(member, path)).status).toBe(403)
    const { body: theirs } = await call(member, 'POST /v1/accounts/tokens', { name: 'm', account_id: id })
    const list = await call(owner, `GET /v1/accounts/tokens?account_id=${id}`)
    expect(list.body.map(({ name }: { name: string }) => name)).toEqual(['m', 'owner’s'])
    expect((await call(owner, `DELETE /v1/accounts/tokens/${theirs.token_id}?account_id=${id}`)).status).toBe(200)
    expect((await call(theirs.secret_key, 'GET /v1/accounts/me')).status).toBe(401)
    const stranger = await createPerson(platform)
    expect((await call(stranger, path)).status).toBe(403)
    expect((await call(stranger, `DELETE /v1/accounts/tokens/${key.token_id}`)).status).toBe(404)
  })

  test('refuses a past end, a foreign account, and bad names', async () => {
    const { member, id } = await createTeam()
    const make = (body: object) => call(member, 'POST /v1/accounts/tokens', { account_id: id, ...body })
    const past = await make({ name: 'x', expires_at: '2020-01-01T00:00:00Z' })
    expect([past.status, past.body.issues[0].path]).toEqual([400, 'expires_at'])
    for (const name of ['', 'x'.repeat(256), undefined]) expect((await make({ name })).status).toBe(400)
    const stranger = await createPerson(platform)
    expect((await call(stranger, 'POST /v1/accounts/tokens', { name: 'x', account_id: id })).status).toBe(403)
    const soon = await make({ name: 'soon', expires_at: new Date(Date.now() + 60_000).toISOString() })
    expect(soon.status).toBe(201)
    await platform.database.sql`
      update svc.tokens set expires_at = now() - interval '1 second' where token_id = ${soon.body.token_id}`
    expect((await call(soon.body.secret_key, 'GET /v1/accounts/me')).status).toBe(401)
  })

  test('for one project needs the right to issue there, and reaches nothing else', async () => {
    const { owner, member, id, projectId } = await createTeam()
    const body = { name: 'p', account_id: id, project_id: projectId }
    expect((await call(member, 'POST /v1/accounts/tokens', body)).status).toBe(403)
    const made = await call(owner, 'POST /v1/accounts/tokens', body)
    expect([made.status, made.body.project_id]).toEqual([201, projectId])
    const me = await call(made.body.secret_key, 'GET /v1/accounts/me')
    expect(me.body.token_context).toMatchObject({ auth_type: 'pat', project_id: projectId, agent: null })
    for (const route of [
      'GET /v1/accounts',
      `GET /v1/accounts/${id}`,
      'GET /v1/accounts/tokens',
      'GET /v1/operator/jobs',
    ]) {
      expect([route, (await call(made.body.secret_key, route)).status]).toEqual([route, 403])
    }
    expect((await call(made.body.secret_key, 'POST /v1/accounts/tokens', { name: 'more' })).status).toBe(403)
    const foreign = await call(owner, 'POST /v1/accounts/tokens', { name: 'p', project_id: projectId })
    const unknown = await call(owner, 'POST /v1/accounts/tokens', { ...body, project_id: newId() })
    const other = await call(owner, 'POST /v1/accounts', { name: 'Other' })
    const wrong = await call(owner, 'POST /v1/accounts/tokens', { ...body, account_id: other.body.account_id })
    expect([foreign.status, unknown.status, wrong.status]).toEqual([201, 403, 403])
  })

  test('of a service account needs the permission, and acts as that service account', async () => {
    const { owner, id } = await createTeam()
    const { body: robot } = await call(owner, `POST /v1/accounts/${id}/iam/service-accounts`, { name: 'robot' })
    const assign = (role_key: string) =>
      call(owner, `POST /v1/accounts/${id}/iam/assignments`, {
        principal_type: 'service_account',
        principal_id: robot.service_account_id,
        scope_type: 'account',
        role_key,
      })
    expect((await assign('member')).status).toBe(201)
    expect((await call(robot.secret, 'POST /v1/accounts/tokens', { name: 'r' })).status).toBe(403)
    expect((await assign('admin')).status).toBe(201)
    const made = await call(robot.secret, 'POST /v1/accounts/tokens', { name: 'r' })
    expect(made.status).toBe(201)
    const me = await call(made.body.secret_key, 'GET /v1/accounts/me')
    expect(me.body).toMatchObject({ user_id: robot.service_account_id, email: '', accounts: [] })
    expect((await call(robot.secret, `DELETE /v1/accounts/tokens/${made.body.token_id}`)).status).toBe(200)
  })
})
