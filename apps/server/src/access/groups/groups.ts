import type { Group } from '@svc/contract'
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Actor } from '../../kernel/actor.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'
import { isUuid, newId } from '../../kernel/ids/index.ts'
import type { Access } from '../access.ts'
import { deleteAssignments } from '../assignments/revoke-roles.ts'
import { decodeCursor, pageSize } from '../paging.ts'
import { assignments, groupMembers, groups } from '../schema.ts'
import { orNameTaken } from '../store/unique-violation.ts'

export type GroupRecord = z.input<typeof Group>

interface GroupRow {
  groupId: string
  name: string
  description: string | null
  source: 'manual' | 'scim'
  memberCount: number
  projectCount: number
  createdAt: Date
  updatedAt: Date
}

/** By name, each with how many people and projects it spans. */
export async function listGroups({ kernel }: Access, accountId: string, cursor?: string, groupId?: string) {
  const after = decodeCursor(cursor, ['text'])
  const now = kernel.clock.now()
  return kernel.database.sql<GroupRow[]>`
    select g.group_id as "groupId", g.name, g.description, g.source, g.created_at as "createdAt",
      g.updated_at as "updatedAt",
      (select count(*)::int from svc.group_members m where m.group_id = g.group_id) as "memberCount",
      (select count(distinct a.scope_id)::int from svc.assignments a
        where a.principal_id = g.group_id and a.account_id = g.account_id and a.principal_type = 'group'
          and a.object_type is null and (a.expires_at is null or a.expires_at > ${now})) as "projectCount"
    from svc.groups g
    where g.account_id = ${accountId} and (${groupId ?? null}::uuid is null or g.group_id = ${groupId ?? null})
      and (${after?.[0] ?? null}::text is null or g.name > ${after?.[0] ?? null})
    order by g.name limit ${pageSize + 1}`
}

export async function getGroup(access: Access, accountId: string, groupId: string): Promise<GroupRecord> {
  const [row] = await listGroups(access, accountId, undefined, groupId)
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
    const made = await tx.db
      .insert(groups)
      .values({ groupId, accountId, name, description })
      .onConflictDoNothing()
      .returning({ groupId: groups.groupId })
    if (made.length === 0) throw problem('name_taken', { say: `A group called ${name} exists already.` })
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
    const update = tx.db
      .update(groups)
      .set({ name: change.name, description: change.description, updatedAt: sql`now()` })
      .where(inAccount(accountId, groupId))
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
    const held = and(eq(assignments.principalType, 'group'), eq(assignments.principalId, groupId))
    await deleteAssignments(access.context, tx, accountId, held)
    const [gone] = await tx.db.delete(groups).where(inAccount(accountId, groupId)).returning()
    await tx.audit({ action: 'iam.group.delete', ...about(accountId, groupId), before: { name: gone?.name } })
    access.context.noteChange(tx, accountId)
  })
}

/** In the order they were added. */
export async function listGroupMembers(access: Access, accountId: string, groupId: string, cursor?: string) {
  await getGroup(access, accountId, groupId)
  const after = decodeCursor(cursor, ['uuid'])
  return access.kernel.database.db
    .select()
    .from(groupMembers)
    .where(
      and(eq(groupMembers.groupId, groupId), after?.[0] === undefined ? undefined : gt(groupMembers.userId, after[0])),
    )
    .orderBy(asc(groupMembers.userId))
    .limit(pageSize + 1)
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
    const added = await tx.db
      .insert(groupMembers)
      .values(userIds.map((userId) => ({ groupId, userId, addedBy })))
      .onConflictDoNothing()
      .returning({ userId: groupMembers.userId })
    if (added.length > 0) {
      const users = added.map((row) => row.userId)
      await tx.audit({ action: 'iam.group.members.add', ...about(accountId, groupId), after: { users } })
      access.context.noteChange(tx, accountId)
    }
    return added.length
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
    const removed = await tx.db
      .delete(groupMembers)
      .where(and(eq(groupMembers.groupId, groupId), eq(groupMembers.userId, userId)))
      .returning()
    if (removed.length === 0) throw problem('not_found')
    await tx.audit({ action: 'iam.group.members.remove', ...about(accountId, groupId), before: { user: userId } })
    access.context.noteChange(tx, accountId)
  })
}

/** Locked, so that nobody is added to a group that is being deleted. */
async function requireGroup(tx: Tx, accountId: string, groupId: string): Promise<void> {
  const [row] = await tx.db
    .select({ id: groups.groupId })
    .from(groups)
    .where(inAccount(accountId, groupId))
    .for('no key update')
  if (!row) throw problem('not_found')
}

async function requireMembers(tx: Tx, accountId: string, userIds: readonly string[]): Promise<void> {
  const rows = await tx.db
    .selectDistinct({ userId: assignments.principalId })
    .from(assignments)
    .where(
      and(
        eq(assignments.accountId, accountId),
        eq(assignments.principalType, 'user'),
        eq(assignments.scopeType, 'account'),
        inArray(assignments.principalId, [...userIds]),
      ),
    )
  const members = new Set(rows.map((row) => row.userId))
  const stranger = userIds.find((id) => !members.has(id))
  if (stranger === undefined) return
  throw problem('not_found', { say: `${stranger} is not a member of this account.`, next: 'Invite them first.' })
}

function inAccount(accountId: string, groupId: string) {
  return and(eq(groups.groupId, groupId), eq(groups.accountId, accountId))
}

function about(accountId: string, groupId: string) {
  return { outcome: 'success', accountId, resourceType: 'group', resourceId: groupId } as const
}
