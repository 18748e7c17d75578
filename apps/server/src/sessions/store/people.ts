import type { Sql } from '../../kernel/database/index.ts'

export interface OwnerFacts {
  readonly email: string | null
  readonly name: string | null
}

/** Who the owners of some sessions are, by id. */
export async function findOwners(sql: Sql, ids: readonly string[]): Promise<Map<string, OwnerFacts>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<(OwnerFacts & { id: string })[]>`
    select user_id as id, email, split_part(email, '@', 1) as name from svc.users where user_id = any(${[...ids]}::uuid[])
    union all
    select service_account_id, null, name from svc.service_accounts where service_account_id = any(${[...ids]}::uuid[])`
  return new Map(rows.map(({ id, email, name }) => [id, { email, name }]))
}

export async function listGroupIds(sql: Sql, accountId: string, userId: string): Promise<string[]> {
  const rows = await sql<{ groupId: string }[]>`
    select m.group_id as "groupId" from svc.group_members m join svc.groups g using (group_id)
    where g.account_id = ${accountId} and m.user_id = ${userId}`
  return rows.map(({ groupId }) => groupId)
}

/** States of the machines of some sessions. */
export async function findMachineStates(sql: Sql, ids: readonly string[]): Promise<Map<string, MachineFacts>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<(MachineFacts & { id: string })[]>`
    select sandbox_id as id, status, external_id as "externalId" from svc.sandboxes
    where sandbox_id = any(${[...ids]}::uuid[])`
  return new Map(rows.map(({ id, status, externalId }) => [id, { status, externalId }]))
}

/** Deleted sessions whose disk is still there: a process died between the two, or another server was asked. */
export async function listUndestroyed(sql: Sql, nodeId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select session.session_id as id from svc.sessions session join svc.sandboxes machine on machine.sandbox_id = session.session_id
    where session.deleted_at is not null and machine.status <> 'archived' and machine.node_id = ${nodeId} limit 100`
  return rows.map(({ id }) => id)
}

/** Sessions that do not run although their machine does, on this server. */
export async function listForgotten(sql: Sql, nodeId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select session.session_id as id from svc.sandboxes machine join svc.sessions session on session.session_id = machine.sandbox_id
    where machine.node_id = ${nodeId} and machine.status = 'active' and session.status in ('stopped', 'failed')
      and session.deleted_at is null limit 100`
  return rows.map(({ id }) => id)
}

/** Sessions that hold a machine although their project is gone, or say that they run although their machine does not. */
export async function listStray(
  sql: Sql,
  nodeId: string,
): Promise<{ id: string; isLost: boolean; detail: string | null }[]> {
  return sql<{ id: string; isLost: boolean; detail: string | null }[]>`
    select session.session_id as id, project.status = 'active' as "isLost", machine.status_detail as detail
    from svc.sessions session join svc.projects project using (project_id)
    left join svc.sandboxes machine on machine.sandbox_id = session.session_id
    where session.deleted_at is null and (session.node_id is null or session.node_id = ${nodeId}) and (
      (session.status in ('queued', 'branching', 'provisioning', 'running') and project.status <> 'active')
      or (session.status = 'running' and machine.status is distinct from 'active'))
    limit 100`
}

export interface MachineFacts {
  readonly status: 'provisioning' | 'active' | 'stopped' | 'error' | 'archived'
  readonly externalId: string
}
