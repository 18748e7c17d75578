import type { Sql } from '../../kernel/database/index.ts'

export interface DirectRole {
  readonly userId: string
  readonly role: 'manager' | 'member'
  readonly grantedBy: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly expiresAt: Date | null
}

/** The system roles that these people hold themselves on the project. */
export async function listDirectRoles(
  sql: Sql,
  projectId: string,
  userIds: readonly string[],
  now: Date,
): Promise<DirectRole[]> {
  return sql<DirectRole[]>`
    select principal_id as "userId", case role_id when 'builtin:manager' then 'manager' else 'member' end as role,
      granted_by as "grantedBy", created_at as "createdAt", updated_at as "updatedAt", expires_at as "expiresAt"
    from svc.assignments
    where scope_id = ${projectId} and principal_type = 'user' and principal_id = any(${[...userIds]}::uuid[])
      and object_type is null and role_id in ('builtin:manager', 'builtin:user')
      and (expires_at is null or expires_at > ${now})`
}

export interface GroupSource {
  readonly userId: string
  readonly groupId: string
  readonly groupName: string
  readonly role: 'manager' | 'member'
}

export async function listGroupSources(
  sql: Sql,
  projectId: string,
  userIds: readonly string[],
  now: Date,
): Promise<GroupSource[]> {
  return sql<GroupSource[]>`
    select m.user_id as "userId", g.group_id as "groupId", g.name as "groupName",
      case a.role_id when 'builtin:manager' then 'manager' else 'member' end as role
    from svc.assignments a join svc.groups g on g.group_id = a.principal_id and g.account_id = a.account_id
    join svc.group_members m on m.group_id = g.group_id
    where a.scope_id = ${projectId} and a.principal_type = 'group' and m.user_id = any(${[...userIds]}::uuid[])
      and a.object_type is null and a.role_id in ('builtin:manager', 'builtin:user')
      and (a.expires_at is null or a.expires_at > ${now})
    order by g.name`
}

export interface CustomRole {
  readonly userId: string
  readonly assignmentId: string
  readonly roleId: string
  readonly roleKey: string
  readonly roleName: string
  readonly scopeType: 'account' | 'project'
  readonly expiresAt: Date | null
}

/** Custom roles that these people hold themselves, on the whole account or on this project. */
export async function listCustomRoles(
  sql: Sql,
  { accountId, projectId }: { accountId: string; projectId: string },
  userIds: readonly string[],
  now: Date,
): Promise<CustomRole[]> {
  return sql<CustomRole[]>`
    select a.principal_id as "userId", a.assignment_id as "assignmentId", a.role_id as "roleId", r.key as "roleKey",
      r.name as "roleName", a.scope_type as "scopeType", a.expires_at as "expiresAt"
    from svc.assignments a join svc.roles r on r.role_id::text = a.role_id and r.account_id = a.account_id
    where a.account_id = ${accountId} and a.principal_type = 'user' and a.principal_id = any(${[...userIds]}::uuid[])
      and a.object_type is null and (a.scope_id is null or a.scope_id = ${projectId})
      and (a.expires_at is null or a.expires_at > ${now})
    order by r.key`
}

/** Whom a request for access is shown to: owners, admins and the project's managers, by address. */
export async function listManagerAddresses(
  sql: Sql,
  { accountId, projectId }: { accountId: string; projectId: string },
  now: Date,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ email: string }[]>`
    select distinct u.email from svc.assignments a join svc.users u on u.user_id = a.principal_id
    where a.account_id = ${accountId} and a.principal_type = 'user' and a.object_type is null
      and (a.role_id in ('builtin:owner', 'builtin:admin')
        or (a.role_id = 'builtin:manager' and a.scope_id = ${projectId}))
      and (a.expires_at is null or a.expires_at > ${now})
    order by u.email limit ${limit}`
  return rows.map(({ email }) => email)
}

export async function readProjectName(sql: Sql, projectId: string): Promise<string> {
  const [row] = await sql<{ name: string }[]>`select name from svc.projects where project_id = ${projectId}`
  return row?.name ?? 'a project'
}

export async function findEmail(sql: Sql, userId: string): Promise<string | undefined> {
  const [row] = await sql<{ email: string }[]>`select email from svc.users where user_id = ${userId}`
  return row?.email
}

export interface PendingInvite {
  readonly inviteId: string
  readonly email: string
  readonly role: 'manager' | 'member'
  readonly grantExpiresAt: string | null
  readonly invitedByEmail: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Open invitations that offer the project, newest first; those that have expired too. */
export async function listPendingInvites(
  sql: Sql,
  { accountId, projectId }: { accountId: string; projectId: string },
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<PendingInvite[]> {
  return sql<PendingInvite[]>`
    select i.invite_id as "inviteId", i.email, offered.role, offered.expires_at as "grantExpiresAt",
      inviter.email as "invitedByEmail", i.created_at as "createdAt", i.expires_at as "expiresAt"
    from svc.account_invites i
    join lateral jsonb_to_recordset(i.project_grants) as offered (project_id text, role text, expires_at text)
      on offered.project_id = ${projectId}::text
    left join svc.users inviter on inviter.user_id = i.invited_by
    where i.account_id = ${accountId} and i.accepted_at is null
      ${beforeId === undefined ? sql`` : sql`and i.invite_id < ${beforeId}`}
    order by i.invite_id desc limit ${limit}`
}
