import { type StorableRow, writeRows } from '../../kernel/audit/index.ts'
import { type Drizzle, hasSqlState, refusedData, type Sql } from '../../kernel/database/index.ts'

/** Whom a refused call named, and who called. */
export interface Named {
  readonly event_id: string
  readonly principal_id: string
  readonly account_id: string | null
  readonly project_id: string | null
}

/**
 * The accounts that refused calls belong to: the one they named, where the caller has any role. A stranger's calls
 * never reach an account's log.
 */
export async function findOwnAccounts(sql: Sql, named: readonly Named[]): Promise<Map<string, string>> {
  if (named.length === 0) return new Map()
  const rows = await sql<{ eventId: string; accountId: string }[]>`
    select named.event_id as "eventId", account.account_id as "accountId"
    from jsonb_to_recordset(${JSON.stringify(named)}::text::jsonb)
      as named (event_id uuid, principal_id uuid, account_id uuid, project_id uuid)
    left join svc.projects project on project.project_id = named.project_id
    join svc.accounts account on account.account_id = coalesce(project.account_id, named.account_id)
    where exists (
      select from svc.assignments own
      where own.principal_id = named.principal_id and own.account_id = account.account_id
    ) or exists (
      select from svc.group_members member join svc.groups using (group_id)
      where member.user_id = named.principal_id and groups.account_id = account.account_id
    )`
  return new Map(rows.map(({ eventId, accountId }) => [eventId, accountId]))
}

/**
 * Stores a batch. A row that the database refuses for what it holds is told to the caller and keeps no other out; any
 * other failure is thrown, and the batch may be stored again.
 */
export async function storeRows(
  db: Drizzle,
  rows: readonly StorableRow[],
  onRefused: (row: StorableRow, error: unknown) => void,
): Promise<void> {
  try {
    await writeRows(db, rows)
  } catch (error) {
    if (!hasSqlState(error, refusedData)) throw error
    const [only] = rows
    if (rows.length === 1 && only) return onRefused(only, error)
    const middle = Math.ceil(rows.length / 2)
    await storeRows(db, rows.slice(0, middle), onRefused)
    await storeRows(db, rows.slice(middle), onRefused)
  }
}
