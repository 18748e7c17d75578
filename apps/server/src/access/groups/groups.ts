import type { Group } from '@svc/contract'
import type { z } from 'zod'
import type { Actor } from '../../kernel/actor.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { decodeCursor, pageSize, problem } from '../../kernel/http/index.ts'
import { isUuid, newId } from '../../kernel/ids/index.ts'
import type { Access } from '../access.ts'
import { revokeRoles } from '../assignments/revoke-roles.ts'
import {
  deleteGroupMember,
  deleteGroupRow,
  type GroupRow,
  insertGroup,
  insertGroupMembers,
  listGroupMemberRows,
  listGroupRows,
  lockGroup,
  updateGroupRow,
} from '../store/groups.ts'
import { findUsersOfAccount } from '../store/members.ts'
import { orNameTaken } from '../store/unique-violation.ts'

export type GroupRecord = z.input<typeof Group>

/** By name, each with how many people and projects it spans. */
export async function listGroups({ kernel }: Access, accountId: string, cursor?: string): Promise<GroupRow[]> {
  const afterName = decodeCursor(cursor, ['text'])?.[0]
  return listGroupRows(kernel.database.sql, { accountId, afterName, limit: pageSize + 1, now: kernel.clock.now() })
}

export async function getGroup({ kernel }: Access, accountId: string, groupId: string): Promise<GroupRecord> {
  const [row] = await listGroupRows(kernel.database.sql, { accountId, groupId, limit: 1, now: kernel.clock.now() })
  if (!row) throw problem('not_found')
  return toGroupRecord(row)
}

export function toGroupRecord(row: GroupRow): GroupRecord {
  return {
    group_id: row.groupId,
    name: row.name,
    description: row.description,
    source: row.source,
    member_count: row.memberCount,
    project_count: row.projectCount,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

export async function createGroup(
  access: Access,
  actor: Actor,
  accountId: string,
  { name, description = null }: { name: string; description?: string | null | undefined },
): Promise<GroupRecord> {
  const groupId = newId()
  await access.kernel.database.transact(actor, async (tx) => {
    const isNew = await insertGroup(tx, { groupId, accountId, name, description })
    if (!isNew) throw problem('name_taken', { say: `A group called ${name} exists already.` })
    await tx.audit({ action: 'iam.group.create', ...about(accountId, groupId), after: { name, description } })
  })
  return getGroup(access, accountId, groupId)
}

export async function updateGroup(
  access: Access,
  actor: Actor,
  accountId: string,
  groupId: string,
  change: { name?: string | undefined; description?: string | null | undefined },
): Promise<GroupRecord> {
  const before = await getGroup(access, accountId, groupId)
  await access.kernel.database.transact(actor, async (tx) => {
    const update = updateGroupRow(tx, accountId, groupId, change)
    await orNameTaken(update, `A group called ${change.name} exists already.`)
    await tx.audit({
      action: 'iam.group.update',
      ...about(accountId, groupId),
      before: { name: before.name, description: before.description },
      after: change,
    })
  })
  return getGroup(access, accountId, groupId)
}

export async function deleteGroup(access: Access, actor: Actor, accountId: string, groupId: string): Promise<void> {
  await access.kernel.database.transact(actor, async (tx) => {
    await requireGroup(tx, accountId, groupId)
    await revokeRoles(access.context, tx, { accountId, principal: { type: 'group', id: groupId } })
    const gone = await deleteGroupRow(tx, accountId, groupId)
    await tx.audit({ action: 'iam.group.delete', ...about(accountId, groupId), before: { name: gone?.name } })
    access.context.noteChange(tx, accountId)
  })
}

/** By user id. */
export async function listGroupMembers(access: Access, accountId: string, groupId: string, cursor?: string) {
  await getGroup(access, accountId, groupId)
  const afterUserId = decodeCursor(cursor, ['uuid'])?.[0]
  return listGroupMemberRows(access.kernel.database.db, groupId, { afterUserId, limit: pageSize + 1 })
}

/** Only members of the account can be in its groups. Those who are in it already are not counted. */
export async function addGroupMembers(
  access: Access,
  actor: Actor,
  accountId: string,
  groupId: string,
  given: readonly string[],
): Promise<number> {
  const userIds = [...new Set(given.map((id) => id.toLowerCase()))]
  return access.kernel.database.transact(actor, async (tx) => {
    await requireGroup(tx, accountId, groupId)
    await requireMembers(tx, accountId, userIds)
    const addedBy = isUuid(actor.userId) ? actor.userId : null
    const users = await insertGroupMembers(tx, groupId, userIds, addedBy)
    if (users.length > 0) {
      await tx.audit({ action: 'iam.group.members.add', ...about(accountId, groupId), after: { users } })
      access.context.noteChange(tx, accountId)
    }
    return users.length
  })
}

export async function removeGroupMember(
  access: Access,
  actor: Actor,
  accountId: string,
  groupId: string,
  userId: string,
): Promise<void> {
  await access.kernel.database.transact(actor, async (tx) => {
    await requireGroup(tx, accountId, groupId)
    const wasMember = await deleteGroupMember(tx, groupId, userId)
    if (!wasMember) throw problem('not_found')
    await tx.audit({ action: 'iam.group.members.remove', ...about(accountId, groupId), before: { user: userId } })
    access.context.noteChange(tx, accountId)
  })
}

/** Locked, so that nobody is added to a group that is being deleted. */
async function requireGroup(tx: Tx, accountId: string, groupId: string): Promise<void> {
  if (!(await lockGroup(tx, accountId, groupId))) throw problem('not_found')
}

async function requireMembers(tx: Tx, accountId: string, userIds: readonly string[]): Promise<void> {
  const members = await findUsersOfAccount(tx, accountId, userIds)
  const stranger = userIds.find((id) => !members.has(id))
  if (stranger === undefined) return
  throw problem('not_found', { say: `${stranger} is not a member of this account.`, next: 'Invite them first.' })
}

function about(accountId: string, groupId: string) {
  return { outcome: 'success', accountId, resourceType: 'group', resourceId: groupId } as const
}
