import type { Sql } from '../kernel/database/index.ts'

export async function findJobName(sql: Sql, jobId: string): Promise<string | undefined> {
  const [row] = await sql<{ name: string }[]>`
    select task_identifier as name from graphile_worker.jobs where id = ${jobId}::bigint`
  return row?.name
}

export interface UserRow {
  readonly userId: string
  readonly email: string
  readonly isOperator: boolean
  readonly emailConfirmedAt: Date | null
  readonly createdAt: Date
  readonly lastSignInAt: Date | null
  readonly accountCount: number
}

interface UserFilter {
  /** Part of the address. */
  readonly contains: string | undefined
  readonly beforeId: string | undefined
  readonly limit: number
}

/** Newest first; ids rise with time. */
export async function listUserRows(sql: Sql, { contains, beforeId, limit }: UserFilter): Promise<UserRow[]> {
  return sql<UserRow[]>`
    select user_id as "userId", email, is_operator as "isOperator", email_confirmed_at as "emailConfirmedAt",
      created_at as "createdAt", last_sign_in_at as "lastSignInAt",
      (select count(distinct account_id)::int from svc.assignments
       where principal_type = 'user' and principal_id = person.user_id and scope_type = 'account') as "accountCount"
    from svc.users person
    where true ${contains === undefined ? sql`` : sql`and position(${contains.toLowerCase()} in email) > 0`}
      ${beforeId === undefined ? sql`` : sql`and user_id < ${beforeId}`}
    order by user_id desc limit ${limit}`
}
