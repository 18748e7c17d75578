import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Drizzle, Sql, Tx } from '../../kernel/database/index.ts'
import { groupMembers, groups } from '../schema.ts'

export interface GroupRow {
  groupId: string
  name: string
  description: string | null
  source: 'manual' | 'scim'
  memberCount: number
  projectCount: number
  createdAt: Date
  updatedAt: Date
}

export interface GroupPage {
  readonly accountId: string
  /** Only this one. */
  readonly groupId?: string | undefined
  readonly afterName?: string | undefined
  readonly limit: number
  readonly now: Date
}

/** By name, each with how many people and projects it spans. */
export async function listGroupRows(sql: Sql, page: GroupPage): Promise<GroupRow[]> {
  const { accountId, groupId = null, afterName = null, limit, now } = page
  return sql<GroupRow[]>`
    select g.group_id as "groupId", g.name, g.description, g.source, g.created_at as "createdAt",
      g.updated_at as "updatedAt",
      (select count(*)::int from svc.group_members m where m.group_id = g.group_id) as "memberCount",
      (select count(distinct a.scope_id)::int from svc.assignments a
        where a.principal_id = g.group_id and a.account_id = g.account_id and a.principal_type = 'group'
          and a.object_type is null and (a.expires_at is null or a.expires_at > ${now})) as "projectCount"
    from svc.groups g
    where g.account_id = ${accountId} and (${groupId}::uuid is null or g.group_id = ${groupId})
      and (${afterName}::text is null or g.name > ${afterName})
    order by g.name limit ${limit}`
}

/** False when the account has a group of this name already. */
export async function insertGroup(
  tx: Tx,
  group: {
    readonly groupId: string
    readonly accountId: string
    readonly name: string
    readonly description: string | null
  },
): Promise<boolean> {
  const made = await tx.db.insert(groups).values(group).onConflictDoNothing().returning({ groupId: groups.groupId })
  return made.length > 0
}

/** What is undefined stays as it is. */
export async function updateGroupRow(
  tx: Tx,
  accountId: string,
  groupId: string,
  { name, description }: { name?: string | undefined; description?: string | null | undefined },
): Promise<void> {
  await tx.db.update(groups).set({ name, description, updatedAt: sql`now()` }).where(inAccount(accountId, groupId))
}

export async function deleteGroupRow(
  tx: Tx,
  accountId: string,
  groupId: string,
): Promise<{ name: string } | undefined> {
  const [gone] = await tx.db.delete(groups).where(inAccount(accountId, groupId)).returning({ name: groups.name })
  return gone
}

/** Whether it exists. Until the transaction ends nobody deletes it. */
export async function lockGroup(tx: Tx, accountId: string, groupId: string): Promise<boolean> {
  const rows = await tx.db
    .select({ id: groups.groupId })
    .from(groups)
    .where(inAccount(accountId, groupId))
    .for('no key update')
  return rows.length > 0
}

/** By user id. */
export async function listGroupMemberRows(
  db: Drizzle,
  groupId: string,
  { afterUserId, limit }: { readonly afterUserId: string | undefined; readonly limit: number },
) {
  const isAfter = afterUserId === undefined ? undefined : gt(groupMembers.userId, afterUserId)
  return db
    .select()
    .from(groupMembers)
    .where(and(eq(groupMembers.groupId, groupId), isAfter))
    .orderBy(asc(groupMembers.userId))
    .limit(limit)
}

/** Who was not in the group before. */
export async function insertGroupMembers(
  tx: Tx,
  groupId: string,
  userIds: readonly string[],
  addedBy: string | null,
): Promise<string[]> {
  const added = await tx.db
    .insert(groupMembers)
    .values(userIds.map((userId) => ({ groupId, userId, addedBy })))
    .onConflictDoNothing()
    .returning({ userId: groupMembers.userId })
  return added.map((row) => row.userId)
}

/** False for somebody who was not in it. */
export async function deleteGroupMember(tx: Tx, groupId: string, userId: string): Promise<boolean> {
  const removed = await tx.db
    .delete(groupMembers)
    .where(and(eq(groupMembers.groupId, groupId), eq(groupMembers.userId, userId)))
    .returning({ userId: groupMembers.userId })
  return removed.length > 0
}

/** Out of every group of the account. */
export async function deleteFromGroups(tx: Tx, accountId: string, userId: string): Promise<void> {
  const ofAccount = tx.db.select({ id: groups.groupId }).from(groups).where(eq(groups.accountId, accountId))
  await tx.db.delete(groupMembers).where(and(eq(groupMembers.userId, userId), inArray(groupMembers.groupId, ofAccount)))
}

function inAccount(accountId: string, groupId: string) {
  return and(eq(groups.groupId, groupId), eq(groups.accountId, accountId))
}
