import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson, type Person } from '../../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { newId } from '../../kernel/ids/index.ts'
import { createCaller } from '../testing/client.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let call: ReturnType<typeof createCaller>
let operator: Person
beforeAll(async () => {
  platform = await startTestPlatform()
  call = createCaller(platform.url)
  operator = await createPerson(platform, { operator: true })
})
afterAll(() => platform.stop())

const newEmail = () => `invited-${newId()}@example.com`

async function createTeam() {
  const owner = await createPerson(platform)
  const { body } = await call(owner, 'POST /v1/accounts', { name: 'Team' })
  const id: string = body.account_id
  const project = async (name: string) => {
    const projectId = newId()
    await platform.database.sql`
      insert into svc.projects (project_id, account_id, name) values (${projectId}, ${id}, ${name})`
    return projectId
  }
  const invite = async (email: string, more: object = {}) => {
    const answer = await call(owner, `POST /v1/accounts/${id}/members`, { email, ...more })
    expect([answer.status, answer.body.status]).toEqual([201, 'pending'])
    return answer.body
  }
  return { owner, id, project, invite }
}

async function readMail(email: string) {
  for (let tries = 0; tries < 1_200; tries++) {
    const { body } = await call(operator, 'GET /v1/operator/mailbox')
    const found = body.mails.filter(({ to }: { to: string }) => to === email)
    if (found.length > 0) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return []
}

describe('an invitation', () => {
  test('goes by mail to somebody unknown, who reads it, joins and has the projects', async () => {
    const { owner, id, project, invite } = await createTeam()
    const [alpha, beta] = [await project('Alpha'), await project('Beta')]
    const email = newEmail()
    const grants = [{ project_id: alpha, role: 'manager' }, { project_id: beta }]
    const sent = await invite(email, { project_grants: grants })
    expect(sent).toMatchObject({ email, account_role: 'member', email_sent: false })
    expect(sent.email_skip_reason).toBe('email_not_configured')
    expect(sent.invite_url).toBe(`${platform.url}/invite/${sent.invite_id}`)
    const days = (Date.parse(sent.expires_at) - Date.now()) / 86_400_000
    expect(Math.round(days * 100) / 100).toBe(14)
    const [mail] = await readMail(email)
    expect(mail.text).toContain(sent.invite_url)
    expect(mail.text).toContain(owner.email)

    const guest = await createPerson(platform, { email })
    const described = await call(guest, `GET /v1/account-invites/${sent.invite_id}`)
    expect(described.body).toMatchObject({
      account_id: id,
      account_name: 'Team',
      email,
      initial_role: 'member',
      inviter_email: owner.email,
      expired: false,
      accepted_at: null,
      email_matches_caller: true,
    })
    const accepted = await call(guest, `POST /v1/account-invites/${sent.invite_id}/accept`)
    expect(accepted.body).toMatchObject({ account_id: id, account_role: 'member', already_accepted: false })
    const byProject = new Map(
      accepted.body.bootstrap_grants_applied.map((grant: { project_id: string; role: string }) => [
        grant.project_id,
        grant.role,
      ]),
    )
    expect(byProject).toEqual(
      new Map([
        [alpha, 'manager'],
        [beta, 'member'],
      ]),
    )
    const { body: rows } = await call(owner, `GET /v1/accounts/${id}/members`)
    expect(rows[1]).toMatchObject({ user_id: guest.userId, explicit_project_count: 2 })
    const pending = await platform.database.sql`
      select from svc.assignments where account_id = ${id} and principal_type = 'pending'`
    expect(pending).toHaveLength(0)
    expect((await call(owner, `GET /v1/accounts/${id}/invites`)).body).toEqual([])
  })

  test('repeating accept changes nothing, and gives again what went missing', async () => {
    const { owner, id, project, invite } = await createTeam()
    const projectId = await project('Gamma')
    const email = newEmail()
    const { invite_id } = await invite(email, { project_grants: [{ project_id: projectId }] })
    const guest = await createPerson(platform, { email })
    const accept = () => call(guest, `POST /v1/account-invites/${invite_id}/accept`)
    const both = await Promise.all([accept(), accept()])
    expect(both.map(({ body }) => body.already_accepted).sort()).toEqual([false, true])
    expect((await accept()).body).toMatchObject({ already_accepted: true, bootstrap_grants_applied: [] })
    await platform.database.sql`
      delete from svc.assignments where principal_id = ${guest.userId} and scope_id = ${projectId}`
    expect((await accept()).body.bootstrap_grants_applied).toEqual([{ project_id: projectId, role: 'member' }])

    await call(owner, `DELETE /v1/accounts/${id}/members/${guest.userId}`)
    expect((await accept()).status).toBe(404)
    expect((await call(guest, `GET /v1/accounts/${id}`)).status).toBe(403)
  })

  test('gives nothing back that was revoked as an assignment, before or after it was accepted', async () => {
    const { owner, id, project, invite } = await createTeam()
    const [early, late] = [await project('Revoked early'), await project('Revoked late')]
    const email = newEmail()
    const { invite_id } = await invite(email, { project_grants: [{ project_id: early }, { project_id: late }] })
    const guest = await createPerson(platform, { email })
    const accept = () => call(guest, `POST /v1/account-invites/${invite_id}/accept`)
    const revoke = async (projectId: string) => {
      const [row] = await platform.database.sql`
        select assignment_id from svc.assignments where account_id = ${id} and scope_id = ${projectId}`
      return (await call(owner, `DELETE /v1/accounts/${id}/iam/assignments/${row?.assignment_id}`)).status
    }
    expect(await revoke(early)).toBe(200)
    expect((await accept()).body.bootstrap_grants_applied).toEqual([{ project_id: late, role: 'member' }])
    expect(await revoke(late)).toBe(200)
    expect((await accept()).body).toMatchObject({ already_accepted: true, bootstrap_grants_applied: [] })
    const left = await platform.database.sql`select from svc.assignments where scope_id in (${early}, ${late})`
    expect(left).toHaveLength(0)
  })

  test('tells nothing but its state to anybody else, who can neither accept nor decline it', async () => {
    const { invite } = await createTeam()
    const { invite_id } = await invite(newEmail())
    const stranger = await createPerson(platform)
    const { body } = await call(stranger, `GET /v1/account-invites/${invite_id}`)
    expect(body).toEqual({
      invite_id,
      account_id: null,
      account_name: null,
      email: null,
      initial_role: null,
      inviter_email: null,
      created_at: null,
      expires_at: null,
      expired: false,
      accepted_at: null,
      email_matches_caller: false,
    })
    for (const verb of ['accept', 'decline']) {
      const refused = await call(stranger, `POST /v1/account-invites/${invite_id}/${verb}`)
      expect([verb, refused.status]).toEqual([verb, 403])
    }
    expect((await call(stranger, `GET /v1/account-invites/${newId()}`)).status).toBe(404)
    expect((await call(stranger, `POST /v1/account-invites/${newId()}/accept`)).status).toBe(404)
    expect((await call(undefined, `GET /v1/account-invites/${invite_id}`)).status).toBe(401)
  })

  test('is gone when declined, and cannot be declined once accepted', async () => {
    const { owner, id, project, invite } = await createTeam()
    const projectId = await project('Delta')
    const email = newEmail()
    const { invite_id } = await invite(email, { project_grants: [{ project_id: projectId }] })
    const guest = await createPerson(platform, { email })
    expect((await call(guest, `POST /v1/account-invites/${invite_id}/decline`)).body).toEqual({ ok: true })
    expect((await call(guest, `GET /v1/account-invites/${invite_id}`)).status).toBe(404)
    expect((await call(owner, `GET /v1/accounts/${id}/invites`)).body).toEqual([])
    const left = await platform.database.sql`select from svc.assignments where scope_id = ${projectId}`
    expect(left).toHaveLength(0)

    const other = newEmail()
    const second = await invite(other, { role: 'admin' })
    const admin = await createPerson(platform, { email: other })
    await call(admin, `POST /v1/account-invites/${second.invite_id}/accept`)
    const late = await call(admin, `POST /v1/account-invites/${second.invite_id}/decline`)
    expect([late.status, late.body.code]).toEqual([409, 'invite_accepted'])
  })

  test('expires, is revived by sending it again, and can be cancelled twice', async () => {
    const { owner, id, invite } = await createTeam()
    const email = newEmail()
    const { invite_id } = await invite(email, { role: 'admin' })
    await platform.database.sql`
      update svc.account_invites set expires_at = now() - interval '1 second' where invite_id = ${invite_id}`
    const guest = await createPerson(platform, { email })
    expect((await call(guest, 'GET /v1/accounts')).body).toMatchObject([{ account_id: guest.userId }])
    const late = await call(guest, `POST /v1/account-invites/${invite_id}/accept`)
    expect([late.status, late.body.code]).toEqual([410, 'invite_expired'])
    expect((await call(guest, `GET /v1/account-invites/${invite_id}`)).body.expired).toBe(true)
    expect((await call(owner, `GET /v1/accounts/${id}/invites`)).body).toEqual([])

    const resent = await call(owner, `POST /v1/accounts/${id}/invites/${invite_id}/resend`)
    expect(resent.body).toMatchObject({ ok: true, email_sent: false })
    expect(Date.parse(resent.body.expires_at)).toBeGreaterThan(Date.now())
    const { body: open } = await call(owner, `GET /v1/accounts/${id}/invites`)
    expect(open).toMatchObject([{ invite_id, email, initial_role: 'admin', invited_by: owner.userId }])
    for (let times = 0; times < 2; times++) {
      expect((await call(owner, `DELETE /v1/accounts/${id}/invites/${invite_id}`)).body).toEqual({ ok: true })
    }
    expect((await call(owner, `POST /v1/accounts/${id}/invites/${invite_id}/resend`)).status).toBe(404)
    expect((await call(guest, `POST /v1/account-invites/${invite_id}/accept`)).status).toBe(404)
  })

  test('inviting again changes the open one: same link, new role and projects', async () => {
    const { owner, id, project, invite } = await createTeam()
    const [old, fresh] = [await project('Old'), await project('Fresh')]
    const email = newEmail()
    const first = await invite(email, { project_grants: [{ project_id: old }] })
    const second = await invite(email, { project_grants: [{ project_id: fresh }] })
    expect(second.invite_id).toBe(first.invite_id)
    const waiting = await platform.database.sql`
      select scope_id from svc.assignments where account_id = ${id} and principal_type = 'pending'`
    expect(waiting.map((row) => row.scope_id)).toEqual([fresh])
    expect((await call(owner, `GET /v1/accounts/${id}/invites`)).body).toHaveLength(1)
    const third = await invite(email, { role: 'admin', project_grants: [{ project_id: fresh }] })
    expect(third.project_grants).toEqual([])
  })

  test('as admin turns waiting project roles into nothing: an admin manages them all', async () => {
    const { owner, id, project, invite } = await createTeam()
    const email = newEmail()
    const { invite_id } = await invite(email, { project_grants: [{ project_id: await project('Now implied') }] })
    await platform.database.sql`update svc.account_invites set initial_role = 'admin' where invite_id = ${invite_id}`
    const guest = await createPerson(platform, { email })
    const accepted = await call(guest, `POST /v1/account-invites/${invite_id}/accept`)
    expect(accepted.body).toMatchObject({ account_role: 'admin', bootstrap_grants_applied: [] })
    const { body } = await call(owner, `GET /v1/accounts/${id}/members`)
    expect(body[1]).toMatchObject({ account_role: 'admin', explicit_project_count: 0 })
  })

  test('without projects is accepted by looking at one’s accounts', async () => {
    const { id, invite } = await createTeam()
    const email = newEmail()
    await invite(email, { role: 'admin' })
    const guest = await createPerson(platform, { email })
    const [list, me] = await Promise.all([call(guest, 'GET /v1/accounts'), call(guest, 'GET /v1/accounts/me')])
    expect(list.body).toMatchObject([{ account_id: id, account_role: 'admin' }])
    expect(me.body.accounts).toMatchObject([{ account_id: id, role: 'admin' }])
  })

  test('with projects waits for its addressee', async () => {
    const { id, project, invite } = await createTeam()
    const email = newEmail()
    await invite(email, { project_grants: [{ project_id: await project('Waits') }] })
    const guest = await createPerson(platform, { email })
    const { body } = await call(guest, 'GET /v1/accounts')
    expect(body.map((account: { account_id: string }) => account.account_id)).toEqual([guest.userId])
    expect((await call(guest, `GET /v1/accounts/${id}`)).status).toBe(403)
  })

  test('lets its addressee sign up where signing up needs one', async () => {
    const { invite } = await createTeam()
    const [email, password] = [newEmail(), 'seven green kettles']
    const early = await call(undefined, 'POST /v1/auth/signup', { email, password })
    expect([early.status, early.body.error]).toEqual([422, 'signup_disabled'])
    const { invite_id } = await invite(email)
    const up = await call(undefined, 'POST /v1/auth/signup', { email, password })
    expect(up.status).toBe(200)
    const accepted = await call(up.body.session.access_token, `POST /v1/account-invites/${invite_id}/accept`)
    expect(accepted.status).toBe(200)
  })

  test.each(['on', 'off', 'auto'])(
    'with confirmation %s, an unproven address claims nothing, counts as unknown, and joins by its link only',
    async (mode) => {
      const { owner, id, invite } = await createTeam()
      const email = newEmail()
      const { invite_id } = await invite(email)
      const squatter = await createPerson(platform, { email, confirmed: false })
      await call(operator, 'PATCH /v1/operator/settings', { email_confirmation: mode })
      expect((await call(squatter, 'GET /v1/accounts')).body).toMatchObject([{ account_id: squatter.userId }])
      expect((await call(squatter, 'GET /v1/accounts/me')).body.accounts).toHaveLength(1)
      const again = await call(owner, `POST /v1/accounts/${id}/members`, { email })
      expect(again.body.status).toBe('pending')
      expect((await call(squatter, `POST /v1/account-invites/${invite_id}/accept`)).status).toBe(200)
      // The link may have come from the inviter: it proves this invitation, not the address.
      const [row] = await platform.database.sql`select email_confirmed_at from svc.users where email = ${email}`
      expect(row?.email_confirmed_at).toBeNull()
      await call(operator, 'PATCH /v1/operator/settings', { email_confirmation: 'auto' })
    },
  )

  test('is mailed to one address at most ten times an hour', async () => {
    const { owner, id } = await createTeam()
    const email = newEmail()
    const statuses: number[] = []
    for (let times = 0; times < 11; times++) {
      statuses.push((await call(owner, `POST /v1/accounts/${id}/members`, { email })).status)
    }
    expect(statuses).toEqual([...Array(10).fill(201), 429])
  })

  test('refuses what is no address, and accepting is limited per address of the caller', async () => {
    const { owner, id } = await createTeam()
    for (const email of ['', 'x', 'a@b', `${'x'.repeat(320)}@example.com`, undefined]) {
      expect((await call(owner, `POST /v1/accounts/${id}/members`, { email })).status).toBe(400)
    }
    const guest = await createPerson(platform)
    const statuses = []
    for (let times = 0; times < 21; times++) {
      statuses.push((await call(guest, `POST /v1/account-invites/${newId()}/accept`)).status)
    }
    expect(statuses.at(-1)).toBe(429)
  })
})
