import { sql } from 'drizzle-orm'
import type { Tx } from '../../kernel/database/index.ts'

/** Projects of the account on which somebody holds a system role of their own. */
export async function listDirectProjects(tx: Tx, accountId: string, userId: string, now: Date): Promise<string[]> {
  const found = await tx.db.execute<{ scope_id: string }>(sql`
    select distinct scope_id from svc.assignments
    where account_id = ${accountId} and principal_type = 'user' and principal_id = ${userId}
      and scope_type = 'project' and object_type is null and role_id in ('builtin:manager', 'builtin:user')
      and (expires_at is null or expires_at > ${now.toISOString()})`)
  return found.rows.map((row) => row.scope_id)
}
