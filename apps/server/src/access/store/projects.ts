import type { Sql } from '../../kernel/database/index.ts'

export async function listActiveProjectIds(sql: Sql, accountId: string): Promise<string[]> {
  const rows = await sql<{ projectId: string }[]>`
    select project_id as "projectId" from svc.projects where account_id = ${accountId} and status <> 'archived'`
  return rows.map((row) => row.projectId)
}
