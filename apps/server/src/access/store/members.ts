import { and, eq, inArray } from 'drizzle-orm'
import type { Sql, Tx } from '../../kernel/database/index.ts'
import type { AccountRole } from '../engine/facts.ts'
import { assignments } from '../schema.ts'

export interface AccountMember {
  readonly userId: string
  readonly email: string
  readonly role: AccountRole
  readonly joinedAt: Date
}

/** Everybody who belongs to the account, with their strongest role, by role and then address. */
export async function listAccountMembers(sql: Sql, accountId: string, now: Date): Promise<AccountMember[]> {
  return sql<AccountMember[]>`
    select * from (
      select distinct on (a.principal_id) a.principal_id as "userId", u.email, substr(a.role_id, 9) as role,
        min(a.created_at) over (partition by a.principal_id) as "joinedAt",
        array_position(array['builtin:owner', 'builtin:admin', 'builtin:member'], a.role_id) as rank
      from svc.assignments a join svc.users u on u.user_id = a.principal_id
      where a.account_id = ${accountId} and a.scope_type = 'account' and a.principal_type = 'user'
        and a.role_id in ('builtin:owner', 'builtin:admin', 'builtin:member')
        and (a.expires_at is null or a.expires_at > ${now})
      order by a.principal_id, rank) members
    order by rank, email`
}

/** Which of these users hold something at account scope. */
export async function findUsersOfAccount(tx: Tx, accountId: string, userIds: readonly string[]): Promise<Set<string>> {
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
  return new Set(rows.map((row) => row.userId))
}
