import type { Sql } from '../../kernel/database/index.ts'

export type MemberRole = 'owner' | 'admin' | 'member'

export interface MemberRow {
  readonly userId: string
  readonly email: string
  readonly role: MemberRole
  readonly rank: number
  readonly joinedAt: Date
}

/** Where the last page ended. */
export interface MemberPosition {
  readonly rank: number
  readonly email: string
}

/** Everybody with an account role, once, with their strongest; by role and then address. */
export async function listMemberRows(
  sql: Sql,
  accountId: string,
  now: Date,
  { after, limit }: { after: MemberPosition | undefined; limit: number },
): Promise<MemberRow[]> {
  const { rank, email } = after ?? { rank: 0, email: '' }
  return sql<MemberRow[]>`
    select "userId", email, (array['owner', 'admin', 'member'])[rank] as role, rank, "joinedAt" from (
      select a.principal_id as "userId", u.email, min(a.created_at) as "joinedAt",
        min(array_position(array['builtin:owner', 'builtin:admin', 'builtin:member'], a.role_id)) as rank
      from svc.assignments a join svc.users u on u.user_id = a.principal_id
      where a.account_id = ${accountId} and a.scope_type = 'account' and a.principal_type = 'user'
        and a.role_id in ('builtin:owner', 'builtin:admin', 'builtin:member')
        and (a.expires_at is null or a.expires_at > ${now})
      group by a.principal_id, u.email) members
    where (rank, email) > (${rank}::int, ${email}::text)
    order by rank, email limit ${limit}`
}

export interface MemberDetails {
  readonly userId: string
  readonly projects: readonly { project_id: string; name: string; role: 'manager' | 'member' }[]
  readonly groups: readonly { group_id: string; name: string }[]
  readonly activePatCount: number
}

/** Direct grants on active projects, groups, and keys made by hand that still work. */
export async function listMemberDetails(
  sql: Sql,
  accountId: string,
  userIds: readonly string[],
  now: Date,
): Promise<MemberDetails[]> {
  if (userIds.length === 0) return []
  return sql<MemberDetails[]>`
    select person.id as "userId",
      coalesce((
        select json_agg(json_build_object('project_id', p.project_id, 'name', p.name,
          'role', case a.role_id when 'builtin:manager' then 'manager' else 'member' end) order by p.name, p.project_id)
        from svc.assignments a join svc.projects p on p.project_id = a.scope_id
        where a.principal_id = person.id and a.principal_type = 'user' and a.account_id = ${accountId}
          and a.object_type is null and a.role_id in ('builtin:manager', 'builtin:user')
          and p.status = 'active' and (a.expires_at is null or a.expires_at > ${now})), '[]') as projects,
      coalesce((
        select json_agg(json_build_object('group_id', g.group_id, 'name', g.name) order by g.name)
        from svc.group_members m join svc.groups g using (group_id)
        where m.user_id = person.id and g.account_id = ${accountId}), '[]') as groups,
      (select count(*)::int from svc.tokens t
        where t.account_id = ${accountId} and t.user_id = person.id and t.kind in ('pat', 'project')
          and t.status = 'active' and (t.expires_at is null or t.expires_at > ${now})) as "activePatCount"
    from unnest(${[...userIds]}::uuid[]) as person (id)`
}
