import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../tests/support/platform.ts'
import { createCaller } from './testing/client.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let call: ReturnType<typeof createCaller>
beforeAll(async () => {
  platform = await startTestPlatform()
  call = createCaller(platform.url)
})
afterAll(() => platform.stop())

describe('a person’s accounts', () => {
  test('somebody who belongs nowhere gets one personal account, however many calls arrive at once', async () => {
    const anna = await createPerson(platform, { email: 'anna@example.com' })
    const lists = await Promise.all(
      ['GET /v1/accounts', 'GET /v1/accounts/me', 'GET /v1/accounts', 'GET /v1/accounts/tokens'].map((route) =>
        call(anna, route),
      ),
    )
    expect(lists.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { body } = await call(anna, 'GET /v1/accounts')
    expect(body).toHaveLength(1)
    expect(body[0]).toMatchObject({
      account_id: anna.userId,
      name: "anna@example.com's Account",
      slug: anna.userId.slice(0, 8),
      account_role: 'owner',
      is_primary_owner: true,
      branding: null,
    })
    const [row] = await platform.database.sql`
      select count(*)::int as n from svc.audit_events where action = 'account.create' and account_id = ${anna.userId}`
    expect(row?.n).toBe(1)
  })

  test('creating makes the caller the owner; the list has owned accounts first, oldest first', async () => {
    const bea = await createPerson(platform)
    const created = await call(bea, 'POST /v1/accounts', { name: '  Second  ' })
    expect([created.status, created.body.name, created.body.account_role]).toEqual([201, 'Second', 'owner'])
    await call(bea, 'POST /v1/accounts', { name: 'Third' })
    const { body } = await call(bea, 'GET /v1/accounts')
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['Second', 'Third'])
    const detail = await call(bea, `GET /v1/accounts/${created.body.account_id}`)
    expect(detail.body).toMatchObject({ member_count: 1, project_count: 0, role: 'owner', branding: null })
  })

  test('a name is refused when it is empty, too long or has control characters, and an odd id is not found', async () => {
    const carl = await createPerson(platform)
    for (const name of ['', '   ', 'x'.repeat(256), 'a\u0007b', 7, undefined]) {
      const { status, body } = await call(carl, 'POST /v1/accounts', { name })
      expect([name, status, body.code]).toEqual([name, 400, 'validation_failed'])
    }
    expect((await call(carl, 'GET /v1/accounts/not-an-id')).status).toBe(404)
    expect((await call(undefined, 'GET /v1/accounts')).status).toBe(401)
  })

  test('an account of others answers like one that does not exist', async () => {
    const [dora, emil] = [await createPerson(platform), await createPerson(platform)]
    const { body } = await call(dora, 'POST /v1/accounts', { name: 'Private' })
    for (const id of [body.account_id, '0190a1b2-0000-7000-8000-000000000000']) {
      const answer = await call(emil, `GET /v1/accounts/${id}`)
      expect([answer.status, answer.body.error]).toEqual([403, 'You do not have access to this account'])
      expect((await call(emil, `PATCH /v1/accounts/${id}`, { name: 'Mine' })).status).toBe(403)
    }
    const renamed = await call(dora, `PATCH /v1/accounts/${body.account_id}`, { name: 'Renamed' })
    expect([renamed.status, renamed.body.name, renamed.body.account_role]).toEqual([200, 'Renamed', 'owner'])
    const [event] = await platform.database.sql`
      select before, after from svc.audit_events where action = 'account.update' and account_id = ${body.account_id}`
    expect(event).toMatchObject({ before: { name: 'Private' }, after: { name: 'Renamed' } })
  })

  test('where only operators create accounts, others are refused and still get their personal one', async () => {
    const [operator, fritz] = [await createPerson(platform, { operator: true }), await createPerson(platform)]
    const restrict = { account_creation: 'operators' }
    expect((await call(operator, 'PATCH /v1/operator/settings', restrict)).body).toMatchObject(restrict)
    const refused = await call(fritz, 'POST /v1/accounts', { name: 'X' })
    expect([refused.status, refused.body.code]).toEqual([403, 'account_creation_restricted'])
    expect((await call(operator, 'POST /v1/accounts', { name: 'X' })).status).toBe(201)
    expect((await call(fritz, 'GET /v1/accounts')).body).toHaveLength(1)
    await call(operator, 'PATCH /v1/operator/settings', { account_creation: 'everyone' })
    expect((await call(fritz, 'POST /v1/accounts', { name: 'X' })).status).toBe(201)
  })
})

describe('who am I', () => {
  test('a session tells the person and their accounts; a service account only itself', async () => {
    const gerda = await createPerson(platform)
    const { body: me } = await call(gerda, 'GET /v1/accounts/me')
    expect(me).toMatchObject({ user_id: gerda.userId, email: gerda.email })
    expect(me.token_context).toEqual({
      auth_type: 'session',
      project_id: null,
      session_id: null,
      agent: null,
      connectors: null,
      svc_cli: null,
      env: null,
    })
    expect(me.accounts).toMatchObject([{ account_id: gerda.userId, role: 'owner', slug: gerda.userId.slice(0, 8) }])

    const made = await call(gerda, `POST /v1/accounts/${gerda.userId}/iam/service-accounts`, { name: 'robot' })
    const robot = await call(made.body.secret, 'GET /v1/accounts/me')
    expect(robot.body).toMatchObject({ user_id: made.body.service_account_id, email: '', accounts: [] })
    expect(robot.body.token_context.auth_type).toBe('service_account')
    expect((await call(made.body.secret, 'GET /v1/accounts')).status).toBe(403)
  })

  test('any signed-in caller may ask whether managed sign-in to apps is set up', async () => {
    const hugo = await createPerson(platform)
    const { body } = await call(hugo, 'GET /v1/connectors/connect-status')
    expect(body).toEqual({ configured: false, provider: null })
    expect((await call(undefined, 'GET /v1/connectors/connect-status')).status).toBe(401)
  })
})
