import type { Sql } from '../../kernel/database/index.ts'

export interface GroupGrantRow {
  readonly assignmentId: string
  readonly groupId: string
  readonly groupName: string
  readonly role: 'manager' | 'member'
  readonly grantedBy: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly memberCount: number
  readonly overrideCount: number
}

/** Oldest first; ids of assignments rise with time. Owners and admins in a group keep their own, stronger access. */
export async function listGroupGrants(
  sql: Sql,
  { accountId, projectId }: { accountId: string; projectId: string },
  now: Date,
  { afterId, limit }: { afterId: string | undefined; limit: number },
): Promise<GroupGrantRow[]> {
  return sql<GroupGrantRow[]>`
    select a.assignment_id as "assignmentId", g.group_id as "groupId", g.name as "groupName",
      case a.role_id when 'builtin:manager' then 'manager' else 'member' end as role,
      a.granted_by as "grantedBy", a.created_at as "createdAt", a.expires_at as "expiresAt",
      (select count(*)::int from svc.group_members m where m.group_id = g.group_id) as "memberCount",
      (select count(distinct m.user_id)::int from svc.group_members m join svc.assignments o
        on o.principal_type = 'user' and o.principal_id = m.user_id and o.account_id = a.account_id
          and o.scope_type = 'account' and o.role_id in ('builtin:owner', 'builtin:admin')
          and (o.expires_at is null or o.expires_at > ${now})
       where m.group_id = g.group_id) as "overrideCount"
    from svc.assignments a join svc.groups g on g.group_id = a.principal_id and g.account_id = a.account_id
    where a.account_id = ${accountId} and a.scope_id = ${projectId} and a.principal_type = 'group'
      and a.object_type is null and a.role_id in ('builtin:manager', 'builtin:user')
      and (a.expires_at is null or a.expires_at > ${now})
      ${afterId === undefined ? sql`` : sql`and a.assignment_id > ${afterId}`}
    order by a.assignment_id limit ${limit}`
}

export interface ResourceGrantRow {
  readonly assignmentId: string
  readonly objectType: 'agent' | 'skill' | 'secret' | 'app' | 'trigger'
  readonly objectId: string
  readonly principalType: 'user' | 'group'
  readonly principalId: string
  readonly label: string
  readonly grantedBy: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
}

interface ResourcePage {
  readonly afterId: string | undefined
  readonly limit: number
  /** Only those that name one of these people themselves. */
  readonly userIds?: readonly string[]
}

/** Who is named on which object of the project, oldest first. */
export async function listResourceGrants(
  sql: Sql,
  { accountId, projectId }: { accountId: string; projectId: string },
  now: Date,
  { afterId, limit, userIds }: ResourcePage,
): Promise<ResourceGrantRow[]> {
  return sql<ResourceGrantRow[]>`
    select a.assignment_id as "assignmentId", a.object_type as "objectType", a.object_id as "objectId",
      a.principal_type as "principalType", a.principal_id as "principalId", coalesce(u.email, g.name) as label,
      a.granted_by as "grantedBy", a.created_at as "createdAt", a.expires_at as "expiresAt"
    from svc.assignments a
    left join svc.users u on a.principal_type = 'user' and u.user_id = a.principal_id
    left join svc.groups g on a.principal_type = 'group' and g.group_id = a.principal_id
    where a.account_id = ${accountId} and a.scope_id = ${projectId} and a.object_type is not null
      and coalesce(u.email, g.name) is not null and (a.expires_at is null or a.expires_at > ${now})
      ${afterId === undefined ? sql`` : sql`and a.assignment_id > ${afterId}`}
      ${userIds === undefined ? sql`` : sql`and a.principal_type = 'user' and a.principal_id = any(${[...userIds]}::uuid[])`}
    order by a.assignment_id limit ${limit}`
}

export async function isGroupOfAccount(sql: Sql, accountId: string, groupId: string): Promise<boolean> {
  const rows = await sql`select from svc.groups where group_id = ${groupId} and account_id = ${accountId}`
  return rows.length > 0
}

/** Whether an assignment names somebody on an object of this project. */
export async function isResourceGrant(sql: Sql, projectId: string, assignmentId: string): Promise<boolean> {
  const rows = await sql`
    select from svc.assignments
    where assignment_id = ${assignmentId} and scope_id = ${projectId} and object_type is not null`
  return rows.length > 0
}
