import { afterAll, describe, expect, test } from 'vitest'
import type { Actor } from '../kernel/actor.ts'
import { newId } from '../kernel/ids/index.ts'
import { createDroppableCache } from './store/droppable-cache.ts'
import { addAccount, addProject, addUser, signedIn, startNode, startTestAccess } from './testing/test-access.ts'

const actor: Actor = { type: 'system' }
const here = await startTestAccess()
const there = await startNode(here.database)
afterAll(async () => {
  await there.stop()
  await here.stop()
})

async function makePlace() {
  const { database } = here
  const accountId = await addAccount(database)
  const projectId = await addProject(database, accountId)
  const userId = await addUser(database)
  const user = signedIn(userId)
  const may = async (node: typeof there) => (await node.access.decide(user, 'project.read', { projectId })).allowed
  return { accountId, projectId, userId, user, may, principal: { type: 'user', id: userId } as const }
}

describe('what is cached', () => {
  test('a grant is visible at once in this process, a revocation on another node as soon as its event arrives', async () => {
    const { accountId, projectId, principal, may } = await makePlace()
    expect(await may(here)).toBe(false)
    expect(await may(there)).toBe(false)
    const grant = { accountId, projectId, principal, roleId: 'builtin:user' }
    await here.database.transact(actor, (tx) => here.access.grantRole(tx, grant))
    expect(await may(here)).toBe(true)
    await expect.poll(() => may(there)).toBe(true)
    await here.database.transact(actor, (tx) => here.access.revokeRoles(tx, { accountId, principal }))
    expect(await may(here)).toBe(false)
    await expect.poll(() => may(there)).toBe(false)
  })

  test('a change that nobody announced is announced by the database', async () => {
    const { accountId, projectId, userId, may } = await makePlace()
    expect(await may(there)).toBe(false)
    const { sql } = here.database
    const groupId = newId()
    await sql`insert into svc.groups (group_id, account_id, name) values (${groupId}, ${accountId}, 'A group')`
    await sql`insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type, scope_id)
      values (${newId()}, ${accountId}, 'group', ${groupId}, 'builtin:manager', 'project', ${projectId})`
    await sql`insert into svc.group_members (group_id, user_id) values (${groupId}, ${userId})`
    await expect.poll(() => may(there)).toBe(true)
    await sql`delete from svc.group_members where group_id = ${groupId}`
    await expect.poll(() => may(there)).toBe(false)
    await sql`insert into svc.group_members (group_id, user_id) values (${groupId}, ${userId})`
    await expect.poll(() => may(there)).toBe(true)
    await sql`update svc.projects set status = 'archived' where project_id = ${projectId}`
    await expect.poll(() => may(there)).toBe(false)
  })

  test('an expiry takes effect by the clock alone', async () => {
    const { accountId, projectId, principal, may } = await makePlace()
    const expiresAt = new Date(here.clock.nowMs() + 60_000)
    const grant = { accountId, projectId, principal, roleId: 'builtin:user', expiresAt }
    await here.database.transact(actor, (tx) => here.access.grantRole(tx, grant))
    expect(await may(here)).toBe(true)
    await here.clock.advance(59_999)
    expect(await may(here)).toBe(true)
    await here.clock.advance(1)
    expect(await may(here)).toBe(false)
  })

  test('a load that a change overtook is not kept', async () => {
    const cache = createDroppableCache<string>(10, () => true)
    const gate = new EventTarget()
    const opened = new Promise<string>((resolve) => gate.addEventListener('open', () => resolve('old'), { once: true }))
    const slow = cache.get(
      'key',
      () => 'group',
      () => opened,
    )
    cache.drop('group')
    const fresh = await cache.get(
      'key',
      () => 'group',
      async () => 'new',
    )
    gate.dispatchEvent(new Event('open'))
    expect(await slow).toBe('old')
    expect(fresh).toBe('new')
    expect(
      await cache.get(
        'key',
        () => 'group',
        async () => 'newer',
      ),
    ).toBe('new')
  })

  test('nothing is kept while no events arrive, and never more than the limit', async () => {
    let isLive = false
    const cache = createDroppableCache<number>(3, () => isLive)
    await cache.get(
      'a',
      () => 'group',
      async () => 1,
    )
    expect(cache.size).toBe(0)
    isLive = true
    for (const key of ['a', 'b', 'c', 'd'])
      await cache.get(
        key,
        () => 'group',
        async () => 1,
      )
    expect(cache.size).toBe(3)
  })
})
