import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson, type Person } from '../../../../../tests/support/people.ts'
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
  const owner = await createPerson(platform)
  const { body } = await call(owner, 'POST /v1/accounts', { name: 'Team' })
  const id: string = body.account_id
  return {
    owner,
    id,
    async join(role: 'admin' | 'member' = 'member', project_grants: unknown[] = []): Promise<Person> {
      const person = await createPerson(platform)
      const added = await call(owner, `POST /v1/accounts/${id}/members`, { email: person.email, role, project_grants })
      expect([added.status, added.body.status]).toEqual([201, 'added'])
      return person
    },
    async project(name: string, accountId = id): Promise<string> {
      const projectId = newId()
      await platform.database.sql`
        insert into svc.projects (project_id, account_id, name) values (${projectId}, ${accountId}, ${name})`
      return projectId
    },
  }
}

const rolesOf = (body: { email: string; account_role: string }[]) => body.map(({ account_role }) => account_role)

describe('members', () => {
  test('somebody known is added at once with their projects; a second time is refused', async () => {
    const { owner, id, project } = await createTeam()
    const other = await createTeam()
    const [mine, theirs] = [await project('Mine'), await project('Theirs', other.id)]
    const person = await createPerson(platform)
    const input = {
      email: ` ${person.email.toUpperCase()} `,
      project_grants: [{ project_id: mine, role: 'manager' }, { project_id: theirs }],
    }
    const added = await call(owner, `POST /v1/accounts/${id}/members`, input)
    expect(added.status).toBe(201)
    expect(added.body).toEqual({
      status: 'added',
      user_id: person.userId,
      email: person.email,
      account_role: 'member',
      project_grants: [{ project_id: mine, role: 'manager' }],
    })
    const again = await call(owner, `POST /v1/accounts/${id}/members`, input)
    expect([again.status, again.body.code]).toEqual([409, 'already_member'])
    expect((await call(person, 'GET /v1/accounts')).body).toMatchObject([{ account_id: id, account_role: 'member' }])
  })

  test('the list is ordered by role and address, and shows details only of oneself to plain members', async () => {
    const { owner, id, join, project } = await createTeam()
    const projectId = await project('Alpha')
    const admin = await join('admin')
    const member = await join('member', [{ project_id: projectId }])
    await call(member, 'POST /v1/accounts/tokens', { name: 'mine', account_id: id })
    const all = await call(owner, `GET /v1/accounts/${id}/members`)
    expect(rolesOf(all.body)).toEqual(['owner', 'admin', 'member'])
    expect(all.body[2]).toMatchObject({
      user_id: member.userId,
      email: member.email,
      explicit_project_count: 1,
      projects: [{ project_id: projectId, name: 'Alpha', role: 'member' }],
      groups: [],
      active_pat_count: 1,
    })
    const own = await call(member, `GET /v1/accounts/${id}/members`)
    expect(own.body[2].active_pat_count).toBe(1)
    expect((await call(admin, `GET /v1/accounts/${id}/members`)).body[2].active_pat_count).toBe(1)
    const seenByPeer = await call(await join(), `GET /v1/accounts/${id}/members`)
    const peer = seenByPeer.body.find(({ user_id }: { user_id: string }) => user_id === member.userId)
    expect(peer).toMatchObject({ explicit_project_count: 0, projects: [], groups: [], active_pat_count: 0 })

    await platform.database.sql`update svc.projects set status = 'archived' where project_id = ${projectId}`
    expect((await call(owner, `GET /v1/accounts/${id}/members`)).body[2].projects).toEqual([])
    expect((await call(await createPerson(platform), `GET /v1/accounts/${id}/members`)).status).toBe(403)
    const odd = await call(owner, `GET /v1/accounts/${id}/members?cursor=made-up`)
    expect([odd.status, odd.body.code]).toEqual([400, 'validation_failed'])
  })

  test('a member may not invite, change or remove; an admin may not touch owners', async () => {
    const { owner, id, join } = await createTeam()
    const [admin, member] = [await join('admin'), await join()]
    const members = `/v1/accounts/${id}/members`
    expect((await call(member, `POST ${members}`, { email: 'x@example.com' })).status).toBe(403)
    expect((await call(member, `PATCH ${members}/${admin.userId}`, { role: 'member' })).status).toBe(403)
    expect((await call(member, `DELETE ${members}/${admin.userId}`)).status).toBe(403)
    expect((await call(member, `GET /v1/accounts/${id}/invites`)).body).toEqual([])
    for (const [route, body] of [
      [`PATCH ${members}/${member.userId}`, { role: 'owner' }],
      [`PATCH ${members}/${owner.userId}`, { role: 'member' }],
      [`DELETE ${members}/${owner.userId}`, undefined],
    ] as const) {
      const refused = await call(admin, route, body)
      expect([route, refused.status, refused.body.code]).toEqual([route, 403, 'forbidden'])
    }
    const stranger = await createPerson(platform)
    expect((await call(admin, `PATCH ${members}/${stranger.userId}`, { role: 'admin' })).status).toBe(404)
    expect((await call(admin, `DELETE ${members}/${stranger.userId}`)).status).toBe(404)
    expect((await call(owner, `PATCH ${members}/${member.userId}`, { role: 'king' })).status).toBe(400)
  })

  test('a role changes once; becoming admin drops direct project roles', async () => {
    const { owner, id, join, project } = await createTeam()
    const member = await join('member', [{ project_id: await project('Beta') }])
    const change = () => call(owner, `PATCH /v1/accounts/${id}/members/${member.userId}`, { role: 'admin' })
    expect((await change()).body).toEqual({ user_id: member.userId, account_role: 'admin' })
    expect((await change()).body).toEqual({ user_id: member.userId, account_role: 'admin', unchanged: true })
    const { body } = await call(owner, `GET /v1/accounts/${id}/members`)
    expect(body[1]).toMatchObject({ account_role: 'admin', explicit_project_count: 0 })
    expect((await call(member, `PATCH /v1/accounts/${id}`, { name: 'By admin' })).status).toBe(200)
  })

  test('whoever is removed or leaves loses roles and keys at once', async () => {
    const { owner, id, join } = await createTeam()
    for (const leave of [true, false]) {
      const member = await join()
      const { body: key } = await call(member, 'POST /v1/accounts/tokens', { name: 'k', account_id: id })
      expect((await call(key.secret_key, `GET /v1/accounts/${id}`)).status).toBe(200)
      const gone = leave
        ? await call(member, `POST /v1/accounts/${id}/leave`)
        : await call(owner, `DELETE /v1/accounts/${id}/members/${member.userId}`)
      expect([gone.status, gone.body]).toEqual([200, { ok: true }])
      expect((await call(key.secret_key, 'GET /v1/accounts/me')).status).toBe(401)
      expect((await call(member, `GET /v1/accounts/${id}`)).status).toBe(403)
      expect((await call(member, `POST /v1/accounts/${id}/leave`)).status).toBe(404)
      const held = await platform.database.sql`
        select from svc.assignments where account_id = ${id} and principal_id = ${member.userId}`
      expect(held).toHaveLength(0)
    }
  })

  test('a key of one account cannot make its owner leave another', async () => {
    const person = await createPerson(platform)
    const [first, second] = await Promise.all(
      ['One', 'Two'].map(async (name) => (await call(person, 'POST /v1/accounts', { name })).body.account_id),
    )
    const { body: key } = await call(person, 'POST /v1/accounts/tokens', { name: 'k', account_id: first })
    expect((await call(key.secret_key, `POST /v1/accounts/${second}/leave`)).status).toBe(404)
    expect((await call(key.secret_key, 'GET /v1/accounts')).body).toMatchObject([{ account_id: first }])
  })
})

describe('the last owner', () => {
  test('cannot leave, be removed or be demoted', async () => {
    const { owner, id } = await createTeam()
    for (const [route, body] of [
      [`POST /v1/accounts/${id}/leave`, undefined],
      [`DELETE /v1/accounts/${id}/members/${owner.userId}`, undefined],
      [`PATCH /v1/accounts/${id}/members/${owner.userId}`, { role: 'admin' }],
    ] as const) {
      const refused = await call(owner, route, body)
      expect([route, refused.status, refused.body.code]).toEqual([route, 409, 'last_owner'])
    }
    expect((await call(owner, `GET /v1/accounts/${id}`)).body.role).toBe('owner')
  })

  test('of owners who all leave, demote or remove each other at once, one stays', async () => {
    const rounds = process.env.SVC_TEST_LONG === '1' ? 20 : 3
    for (let round = 0; round < rounds; round++) {
      const { owner, id, join } = await createTeam()
      const owners = [owner, await join(), await join(), await join()]
      for (const { userId } of owners.slice(1)) {
        await call(owner, `PATCH /v1/accounts/${id}/members/${userId}`, { role: 'owner' })
      }
      const answers = await Promise.all(
        owners.map((person, index) => {
          if (index % 3 === 0) return call(person, `POST /v1/accounts/${id}/leave`)
          const route = `/v1/accounts/${id}/members/${person.userId}`
          return index % 3 === 1 ? call(person, `PATCH ${route}`, { role: 'member' }) : call(person, `DELETE ${route}`)
        }),
      )
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([200, 200, 200, 409])
      const left = await platform.database.sql`
        select from svc.assignments where account_id = ${id} and role_id = 'builtin:owner'`
      expect(left).toHaveLength(1)
    }
  })

  test('somebody who gave their personal account away gets a new one, never the old one back', async () => {
    const [giver, taker] = [await createPerson(platform), await createPerson(platform)]
    await call(giver, 'GET /v1/accounts')
    const id = giver.userId
    await call(giver, `POST /v1/accounts/${id}/members`, { email: taker.email })
    await call(giver, `PATCH /v1/accounts/${id}/members/${taker.userId}`, { role: 'owner' })
    expect((await call(giver, `POST /v1/accounts/${id}/leave`)).status).toBe(200)
    const { body } = await call(giver, 'GET /v1/accounts')
    expect(body).toHaveLength(1)
    expect(body[0].account_id).not.toBe(id)
    expect((await call(giver, `GET /v1/accounts/${id}`)).status).toBe(403)
  })
})
