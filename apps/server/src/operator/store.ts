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

export interface SandboxRow {
  readonly sandboxId: string
  readonly externalId: string
  readonly nodeId: string
  readonly provider: string
  readonly template: string
  readonly status: 'provisioning' | 'active' | 'stopped' | 'error'
  readonly statusDetail: string | null
  readonly projectId: string | null
  readonly projectName: string | null
  readonly accountId: string | null
  readonly cpu: number
  readonly memoryGb: number
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly lastUsedAt: Date | null
  /** Its place in the list. */
  readonly createdKey: string
}

interface SandboxPage {
  readonly before: readonly [createdKey: string, sandboxId: string] | undefined
  readonly limit: number
}

/** Machines whose disk may exist, newest first. */
export async function listSandboxRows(sql: Sql, { before, limit }: SandboxPage): Promise<SandboxRow[]> {
  const [createdKey, sandboxId] = before ?? []
  return sql<SandboxRow[]>`
    select sandbox_id as "sandboxId", external_id as "externalId", node_id as "nodeId", provider,
      template_slug as template, machine.status, status_detail as "statusDetail", machine.project_id as "projectId",
      project.name as "projectName", machine.account_id as "accountId",
      (config->'resources'->>'cpu')::float8 as cpu, (config->'resources'->>'memoryGb')::float8 as "memoryGb",
      machine.created_at as "createdAt", started_at as "startedAt", last_used_at as "lastUsedAt",
      machine.created_at::text as "createdKey"
    from svc.sandboxes machine left join svc.projects project on project.project_id = machine.project_id
    where machine.status <> 'archived' ${
      createdKey === undefined || sandboxId === undefined
        ? sql``
        : sql`and (machine.created_at, sandbox_id) < (${createdKey}::timestamptz, ${sandboxId}::uuid)`
    }
    order by machine.created_at desc, sandbox_id desc limit ${limit}`
}

export async function findSandbox(
  sql: Sql,
  sandboxId: string,
): Promise<Pick<SandboxRow, 'projectId' | 'accountId' | 'nodeId'> | undefined> {
  const [row] = await sql<Pick<SandboxRow, 'projectId' | 'accountId' | 'nodeId'>[]>`
    select project_id as "projectId", account_id as "accountId", node_id as "nodeId" from svc.sandboxes
    where sandbox_id = ${sandboxId} and status <> 'archived'`
  return row
}
