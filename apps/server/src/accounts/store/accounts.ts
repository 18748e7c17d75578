import { eq, sql } from 'drizzle-orm'
import type { DrizzleTransaction, Sql, Tx } from '../../kernel/database/index.ts'
import { accounts } from '../schema.ts'

export type AccountRow = typeof accounts.$inferSelect

export async function listAccountRows(sql: Sql, accountIds: readonly string[]): Promise<AccountRow[]> {
  return sql<AccountRow[]>`
    select account_id as "accountId", name, created_at as "createdAt", updated_at as "updatedAt"
    from svc.accounts where account_id = any(${[...accountIds]}::uuid[])`
}

/** Undefined when the id is taken. */
export async function addAccount(
  db: DrizzleTransaction,
  accountId: string,
  name: string,
): Promise<AccountRow | undefined> {
  const [row] = await db.insert(accounts).values({ accountId, name }).onConflictDoNothing().returning()
  return row
}

/** The row before the change, which nobody else can change meanwhile. */
export async function lockAccount(tx: Tx, accountId: string): Promise<AccountRow | undefined> {
  const [row] = await tx.db.select().from(accounts).where(eq(accounts.accountId, accountId)).for('no key update')
  return row
}

export async function renameAccount(
  tx: Tx,
  accountId: string,
  name: string,
  now: Date,
): Promise<AccountRow | undefined> {
  const [row] = await tx.db
    .update(accounts)
    .set({ name, updatedAt: now })
    .where(eq(accounts.accountId, accountId))
    .returning()
  return row
}

export interface AccountCounts {
  readonly memberCount: number
  readonly projectCount: number
}

export async function countInAccount(sql: Sql, accountId: string, now: Date): Promise<AccountCounts> {
  const [row] = await sql<AccountCounts[]>`
    select
      (select count(distinct principal_id)::int from svc.assignments
       where account_id = ${accountId} and principal_type = 'user' and scope_type = 'account'
         and role_id in ('builtin:owner', 'builtin:admin', 'builtin:member')
         and (expires_at is null or expires_at > ${now})) as "memberCount",
      (select count(*)::int from svc.projects where account_id = ${accountId} and status = 'active') as "projectCount"`
  return row ?? { memberCount: 0, projectCount: 0 }
}

/** The strongest account role somebody holds, themselves or through a group. */
export async function readRoleInAccount(
  sql: Sql,
  accountId: string,
  principalId: string,
  now: Date,
): Promise<'owner' | 'admin' | 'member' | undefined> {
  const [row] = await sql<{ role: 'owner' | 'admin' | 'member' }[]>`
    select substr(role_id, 9) as role from svc.assignments
    where account_id = ${accountId} and scope_type = 'account'
      and (principal_id = ${principalId}
        or principal_id in (select group_id from svc.group_members where user_id = ${principalId}))
      and role_id in ('builtin:owner', 'builtin:admin', 'builtin:member')
      and (expires_at is null or expires_at > ${now})
    order by array_position(array['builtin:owner', 'builtin:admin', 'builtin:member'], role_id) limit 1`
  return row?.role
}

export interface PersonRow {
  readonly userId: string
  readonly email: string
  readonly isConfirmed: boolean
}

/** Waits for whoever else works on this person’s memberships. */
export async function lockPerson(tx: Tx, userId: string): Promise<PersonRow | undefined> {
  const found = await tx.db.execute<{ user_id: string; email: string; is_confirmed: boolean }>(sql`
    select user_id, email, email_confirmed_at is not null as is_confirmed from svc.users
    where user_id = ${userId} for no key update`)
  const [row] = found.rows
  return row && { userId: row.user_id, email: row.email, isConfirmed: row.is_confirmed }
}

/** Where somebody belongs, read past every cache; the first in the order of accounts. */
export async function findFirstAccount(tx: Tx, userId: string, now: Date): Promise<string | undefined> {
  const found = await tx.db.execute<{ account_id: string }>(sql`
    select a.account_id from svc.assignments a
    where a.principal_type = 'user' and a.principal_id = ${userId} and a.scope_type = 'account'
      and a.role_id in ('builtin:owner', 'builtin:admin', 'builtin:member')
      and (a.expires_at is null or a.expires_at > ${now.toISOString()})
    order by a.account_id <> a.principal_id, a.created_at, a.account_id limit 1`)
  return found.rows[0]?.account_id
}

export async function findPersonByEmail(tx: Tx, email: string): Promise<PersonRow | undefined> {
  const found = await tx.db.execute<{ user_id: string; is_confirmed: boolean }>(sql`
    select user_id, email_confirmed_at is not null as is_confirmed from svc.users where email = ${email}`)
  const [row] = found.rows
  return row && { userId: row.user_id, email, isConfirmed: row.is_confirmed }
}

/** Those of these projects that are active and belong to the account. */
export async function listOwnProjects(sql: Sql, accountId: string, projectIds: readonly string[]): Promise<string[]> {
  if (projectIds.length === 0) return []
  const rows = await sql<{ projectId: string }[]>`
    select project_id as "projectId" from svc.projects
    where account_id = ${accountId} and status <> 'archived' and project_id = any(${[...projectIds]}::uuid[])`
  return rows.map((row) => row.projectId)
}
