import type { Sql } from '../../kernel/database/index.ts'
import type { AssignmentRow } from '../assignments/record.ts'

/** Whether a principal exists that may be assigned something in this account. Who is pending cannot be checked. */
export async function findPrincipal(
  sql: Sql,
  accountId: string,
  { type, id }: { type: AssignmentRow['principalType']; id: string },
): Promise<boolean> {
  if (type === 'pending') return true
  if (type === 'user') return (await sql`select from svc.users where user_id = ${id}`).length > 0
  if (type === 'group') {
    return (await sql`select from svc.groups where group_id = ${id} and account_id = ${accountId}`).length > 0
  }
  const found = await sql`
    select from svc.service_accounts
    where service_account_id = ${id} and account_id = ${accountId} and status = 'active'`
  return found.length > 0
}
