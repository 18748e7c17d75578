import { findSystemRole } from '@svc/contract'
import type { Sql } from '../../kernel/database/index.ts'
import {
  type AccountRole,
  type Held,
  type Holdings,
  type ObjectType,
  objectKey,
  type PrincipalType,
  type ProjectFacts,
} from '../engine/facts.ts'

/** Reads of the decision path. Each follows an index on the principal, project or object in question. */
export interface FactsStore {
  loadHoldings(type: PrincipalType, id: string, accountId: string): Promise<Holdings>
  loadProject(projectId: string): Promise<ProjectFacts | undefined>
  loadObjectNamedUntil(projectId: string, type: ObjectType, id: string): Promise<number>
  loadAgentIdentity(projectId: string, agentName: string): Promise<string | undefined>
  loadMemberships(userId: string): Promise<Membership[]>
}

export interface Membership {
  readonly accountId: string
  readonly role: AccountRole
  readonly joinedAtMs: number
  readonly expiresAtMs: number
}

interface HeldRow {
  assignmentId: string
  groupId: string | null
  roleId: string
  projectId: string | null
  objectType: ObjectType | null
  objectId: string | null
  expiresAt: Date | null
  roleKey: string | null
  actions: string[] | null
}

export function createFactsStore(sql: Sql): FactsStore {
  return {
    async loadHoldings(type, id, accountId) {
      const [rows, usableUntilMs] = await Promise.all([
        type === 'user' ? loadUserRows(sql, id, accountId) : loadServiceAccountRows(sql, id, accountId),
        type === 'user' ? Number.POSITIVE_INFINITY : loadUsableUntil(sql, id, accountId),
      ])
      return sortHoldings(type, id, usableUntilMs, rows)
    },

    async loadProject(projectId) {
      const [row] = await sql<{ accountId: string; status: string }[]>`
        select account_id as "accountId", status from svc.projects where project_id = ${projectId}`
      return row && { projectId, accountId: row.accountId, isActive: row.status !== 'archived' }
    },

    async loadObjectNamedUntil(projectId, type, id) {
      const [row] = await sql<{ expiresAt: Date | null }[]>`
        select expires_at as "expiresAt" from svc.assignments
        where scope_id = ${projectId} and object_type = ${type} and object_id = ${id}
        order by expires_at desc nulls first limit 1`
      return row ? expiryMs(row.expiresAt) : Number.NEGATIVE_INFINITY
    },

    async loadAgentIdentity(projectId, agentName) {
      const [row] = await sql<{ id: string }[]>`
        select service_account_id as id from svc.service_accounts
        where project_id = ${projectId} and agent_name = ${agentName}`
      return row?.id
    },

    async loadMemberships(userId) {
      const rows = await sql<{ accountId: string; role: AccountRole; joinedAt: Date; expiresAt: Date | null }[]>`
        select a.account_id as "accountId", substr(a.role_id, 9) as role, a.created_at as "joinedAt",
          a.expires_at as "expiresAt"
        from svc.assignments a join svc.accounts c using (account_id)
        where a.principal_id = ${userId} and a.principal_type = 'user' and a.scope_type = 'account'
          and a.role_id in ('builtin:owner', 'builtin:admin', 'builtin:member')
        order by array_position(array['builtin:owner', 'builtin:admin', 'builtin:member'], a.role_id),
          c.created_at, a.account_id`
      return rows.map(({ accountId, role, joinedAt, expiresAt }) => ({
        accountId,
        role,
        joinedAtMs: joinedAt.getTime(),
        expiresAtMs: expiryMs(expiresAt),
      }))
    },
  }
}

function loadUserRows(sql: Sql, userId: string, accountId: string): Promise<HeldRow[]> {
  return sql<HeldRow[]>`
    with held as (
      select a.*, null::uuid as via from svc.assignments a
      where a.principal_id = ${userId} and a.account_id = ${accountId} and a.principal_type = 'user'
      union all
      select a.*, a.principal_id from svc.group_members m
      join svc.assignments a on a.principal_id = m.group_id and a.principal_type = 'group'
      where m.user_id = ${userId} and a.account_id = ${accountId})
    select a.assignment_id as "assignmentId", a.via as "groupId", a.role_id as "roleId", a.scope_id as "projectId",
      a.object_type as "objectType", a.object_id as "objectId", a.expires_at as "expiresAt",
      r.key as "roleKey", r.actions
    from held a left join svc.roles r on r.account_id = a.account_id
      and r.role_id = case when a.role_id like 'builtin:%' then null else a.role_id::uuid end
    order by a.created_at, a.assignment_id`
}

function loadServiceAccountRows(sql: Sql, id: string, accountId: string): Promise<HeldRow[]> {
  return sql<HeldRow[]>`
    select a.assignment_id as "assignmentId", null as "groupId", a.role_id as "roleId", a.scope_id as "projectId",
      a.object_type as "objectType", a.object_id as "objectId", a.expires_at as "expiresAt",
      r.key as "roleKey", r.actions
    from svc.assignments a left join svc.roles r on r.account_id = a.account_id
      and r.role_id = case when a.role_id like 'builtin:%' then null else a.role_id::uuid end
    where a.principal_id = ${id} and a.account_id = ${accountId} and a.principal_type = 'service_account'
    order by a.created_at, a.assignment_id`
}

async function loadUsableUntil(sql: Sql, id: string, accountId: string): Promise<number> {
  const [row] = await sql<{ expiresAt: Date | null }[]>`
    select expires_at as "expiresAt" from svc.service_accounts
    where service_account_id = ${id} and account_id = ${accountId} and status = 'active'`
  return row ? expiryMs(row.expiresAt) : Number.NEGATIVE_INFINITY
}

function expiryMs(expiresAt: Date | null): number {
  return expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt.getTime()
}

/** Strongest first, direct before inherited, oldest first: the first that allows is the one an explanation names. */
const strengths = ['builtin:owner', 'builtin:admin', 'builtin:member', 'builtin:manager', 'builtin:user']

function sortHoldings(type: PrincipalType, id: string, usableUntilMs: number, rows: readonly HeldRow[]): Holdings {
  const atAccount: Held[] = []
  const byProject = new Map<string, Held[]>()
  const byObject = new Map<string, Held[]>()
  const strength = ({ roleId, groupId }: HeldRow) =>
    (strengths.indexOf(roleId) + 1 || strengths.length + 1) * 2 + (groupId === null ? 0 : 1)
  for (const row of [...rows].sort((a, b) => strength(a) - strength(b))) {
    const held = toHeld(row)
    if (row.projectId === null) atAccount.push(held)
    else if (row.objectType === null) append(byProject, row.projectId, held)
    else append(byObject, objectKey(row.projectId, row.objectType, row.objectId ?? ''), held)
  }
  return { type, id, usableUntilMs, atAccount, byProject, byObject }
}

function append(lists: Map<string, Held[]>, key: string, held: Held): void {
  const list = lists.get(key)
  if (list) list.push(held)
  else lists.set(key, [held])
}

const noActions: ReadonlySet<string> = new Set()

/** A role that is gone gives nothing. */
function toHeld(row: HeldRow): Held {
  const system = findSystemRole(row.roleId)
  return {
    assignmentId: row.assignmentId,
    groupId: row.groupId ?? undefined,
    roleKey: system?.key ?? row.roleKey ?? row.roleId,
    isSystem: system !== undefined,
    accountRole: row.projectId === null ? readAccountRole(row.roleId) : undefined,
    actions: system?.actions ?? (row.actions ? new Set(row.actions) : noActions),
    expiresAtMs: expiryMs(row.expiresAt),
  }
}

export function readAccountRole(roleId: string): AccountRole | undefined {
  if (roleId === 'builtin:owner') return 'owner'
  if (roleId === 'builtin:admin') return 'admin'
  return roleId === 'builtin:member' ? 'member' : undefined
}
