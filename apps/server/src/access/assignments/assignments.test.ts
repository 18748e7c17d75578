import { afterAll, describe, expect, test } from 'vitest'
import type { Actor } from '../../kernel/actor.ts'
import { Problem } from '../../kernel/http/index.ts'
import { addAccount, addProject, addUser, startTestAccess } from '../testing/test-access.ts'
import { recordExpiries } from './expire-assignments.ts'

const actor: Actor = { type: 'system' }
const node = await startTestAccess()
const { access, database, clock } = node
afterAll(() => node.stop())

const user = (id: string) => ({ type: 'user', id }) as const

async function countAudits(accountId: string, action: string): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int from svc.audit_events where account_id = ${accountId} and action = ${action}`
  return row?.count ?? 0
}

describe('owners', () => {
  test('of two who revoke the last two owners at the same time one is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const accountId = await addAccount(database)
      const owners = [await addUser(database), await addUser(database)]
      for (const userId of owners) {
        await database.transact(actor, (tx) => access.setAccountRole(tx, { accountId, userId, role: 'owner' }))
      }
      const results = await Promise.allSettled(
        owners.map((id) => database.transact(actor, (tx) => access.removeFromAccount(tx, accountId, id))),
      )
      const refused = results.filter((result) => result.status === 'rejected')
      expect(refused.map(({ reason }) => Problem.isInstance(reason) && reason.code)).toEqual(['last_owner'])
      expect(await access.countOwners(accountId)).toBe(1)
    }
  })

  test('the last owner can neither step down nor become temporary', async () => {
    const accountId = await addAccount(database)
    const userId = await addUser(database)
    const change = { accountId, userId }
    await database.transact(actor, (tx) => access.setAccountRole(tx, { ...change, role: 'owner' }))
    const demote = database.transact(actor, (tx) => access.setAccountRole(tx, { ...change, role: 'member' }))
    await expect(demote).rejects.toMatchObject({ code: 'last_owner' })
    const expiresAt = new Date(clock.nowMs() + 60_000)
    const limit = database.transact(actor, (tx) => access.setAccountRole(tx, { ...change, role: 'owner', expiresAt }))
    await expect(limit).rejects.toMatchObject({ code: 'last_owner' })
    expect(await access.countOwners(accountId)).toBe(1)
    expect(await access.isMember(userId, accountId)).toBe(true)
  })
})

describe('membership', () => {
  test('becoming an admin drops direct project roles; leaving takes everything, groups included', async () => {
    const accountId = await addAccount(database)
    const [ownerId, userId] = [await addUser(database), await addUser(database)]
    const projectId = await addProject(database, accountId)
    await database.transact(actor, async (tx) => {
      await access.setAccountRole(tx, { accountId, userId: ownerId, role: 'owner' })
      await access.setAccountRole(tx, { accountId, userId, role: 'member' })
      await access.grantRole(tx, { accountId, principal: user(userId), roleId: 'builtin:user', projectId })
    })
    expect(await access.effectiveProjectRole(userId, projectId)).toEqual({
      direct: 'member',
      effective: 'member',
      source: 'direct',
    })
    await database.transact(actor, (tx) => access.setAccountRole(tx, { accountId, userId, role: 'admin' }))
    expect(await access.effectiveProjectRole(userId, projectId)).toEqual({
      direct: null,
      effective: 'manager',
      source: 'implicit',
    })
    expect((await access.listAccountMembers(accountId)).map(({ role }) => role)).toEqual(['owner', 'admin'])
    await database.transact(actor, (tx) => access.removeFromAccount(tx, accountId, userId))
    expect(await access.isMember(userId, accountId)).toBe(false)
    expect(await access.listMemberships(userId)).toEqual([])
  })

  test('a new system role on a project replaces the old one', async () => {
    const accountId = await addAccount(database)
    const userId = await addUser(database)
    const projectId = await addProject(database, accountId)
    const grant = { accountId, principal: user(userId), projectId }
    await database.transact(actor, (tx) => access.grantRole(tx, { ...grant, roleId: 'builtin:user' }))
    await database.transact(actor, (tx) => access.grantRole(tx, { ...grant, roleId: 'builtin:manager' }))
    const rows = await database.sql`select role_id from svc.assignments where account_id = ${accountId}`
    expect(rows.map((row) => row.role_id)).toEqual(['builtin:manager'])
  })

  test('granting again renews expiry and source and makes no second row', async () => {
    const accountId = await addAccount(database)
    const userId = await addUser(database)
    const grant = { accountId, principal: user(userId), roleId: 'builtin:member' }
    const expiresAt = new Date(clock.nowMs() + 60_000)
    const first = await database.transact(actor, (tx) => access.grantRole(tx, { ...grant, expiresAt }))
    const again = await database.transact(actor, (tx) => access.grantRole(tx, { ...grant, source: 'sso' }))
    expect(again).toMatchObject({ assignmentId: first.assignmentId, expiresAt: null, source: 'sso' })
  })

  test('what waits for an address becomes the user’s own, once', async () => {
    const accountId = await addAccount(database)
    const userId = await addUser(database, 'later@example.com')
    const projectId = await addProject(database, accountId)
    const { pendingPrincipalId } = await import('../index.ts')
    const principal = { type: 'pending', id: pendingPrincipalId(' Later@Example.com') } as const
    await database.transact(actor, (tx) =>
      access.grantRole(tx, { accountId, principal, projectId, roleId: 'builtin:manager', source: 'invite' }),
    )
    const claim = { accountId, email: 'later@example.com', userId }
    expect(await database.transact(actor, (tx) => access.claimPendingAssignments(tx, claim))).toHaveLength(1)
    expect(await database.transact(actor, (tx) => access.claimPendingAssignments(tx, claim))).toHaveLength(0)
    expect((await access.effectiveProjectRole(userId, projectId)).direct).toBe('manager')
  })
})

describe('expiry', () => {
  test('is audited once, however many nodes look and however the row ends', async () => {
    const accountId = await addAccount(database)
    const expiresAt = new Date(clock.nowMs() + 1_000)
    const users = [await addUser(database), await addUser(database), await addUser(database)]
    for (const id of users) {
      const grant = { accountId, principal: user(id), roleId: 'builtin:member', expiresAt }
      await database.transact(actor, (tx) => access.grantRole(tx, grant))
    }
    await clock.advance(2_000)
    const [renewed, revoked] = users
    const again = { accountId, principal: user(renewed ?? ''), roleId: 'builtin:member' }
    await database.transact(actor, (tx) => access.grantRole(tx, again))
    await database.transact(actor, (tx) => access.revokeRoles(tx, { accountId, principal: user(revoked ?? '') }))
    await Promise.all([recordExpiries(database, clock), recordExpiries(database, clock)])
    await recordExpiries(database, clock)
    expect(await countAudits(accountId, 'iam.assignment.expired')).toBe(3)
    expect(await countAudits(accountId, 'iam.assignment.granted')).toBe(4)
    expect(await countAudits(accountId, 'iam.assignment.revoked')).toBe(1)
  })
})

describe('what a change reaches', () => {
  test('revoking without naming anything but the account is refused, also by a field nobody knows', async () => {
    const accountId = await addAccount(database)
    const userId = await addUser(database)
    await database.transact(actor, (tx) => access.setAccountRole(tx, { accountId, userId, role: 'member' }))
    const unknownField = { accountId, userId }
    for (const filter of [{ accountId }, unknownField]) {
      const revoke = database.transact(actor, (tx) => access.revokeRoles(tx, filter))
      await expect(revoke).rejects.toThrow('revoking everything in an account')
    }
    expect(await access.isMember(userId, accountId)).toBe(true)
  })

  test('a new project role replaces the old one there, and nothing on other projects or objects', async () => {
    const accountId = await addAccount(database)
    const principal = user(await addUser(database))
    const [here, elsewhere] = [await addProject(database, accountId), await addProject(database, accountId)]
    const object = { type: 'agent', id: 'helper' } as const
    await database.transact(actor, async (tx) => {
      const grant = { accountId, principal, roleId: 'builtin:user' }
      await access.grantRole(tx, { ...grant, projectId: here })
      await access.grantRole(tx, { ...grant, projectId: here, object })
      await access.grantRole(tx, { ...grant, projectId: elsewhere })
      await access.grantRole(tx, { ...grant, projectId: here, roleId: 'builtin:manager' })
    })
    const rows = await database.sql<{ held: string }[]>`
      select concat_ws(' ', role_id, scope_id, object_id) as held from svc.assignments
      where account_id = ${accountId} and principal_id = ${principal.id}`
    expect(rows.map((row) => row.held).sort()).toEqual(
      [`builtin:manager ${here}`, `builtin:user ${here} helper`, `builtin:user ${elsewhere}`].sort(),
    )
  })

  test('an agent has one identity in a project, however often it is asked for', async () => {
    const accountId = await addAccount(database)
    const agent = { accountId, projectId: await addProject(database, accountId), agentName: 'helper' }
    const ensure = (agentName: string) =>
      database.transact(actor, (tx) => access.ensureAgentIdentity(tx, { ...agent, agentName }))
    const first = await ensure('helper')
    expect(await ensure('helper')).toBe(first)
    expect(await ensure('other')).not.toBe(first)
  })
})
