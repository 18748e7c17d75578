import type { operations } from '@svc/contract'
import { listMemberRows, type MemberPosition, type MemberRow } from '../../accounts/index.ts'
import { answerPage, badCursor, type Call, pageSize } from '../../kernel/http/index.ts'
import { isUuid } from '../../kernel/ids/index.ts'
import { toGroupGrant } from '../groups/group-grants.ts'
import type { Parts } from '../parts.ts'
import { findSecrets } from '../resources/find-secrets.ts'
import { readResources } from '../resources/read-resources.ts'
import { toResourceGrant } from '../resources/resource-record.ts'
import { listGroupGrants, listResourceGrants } from '../store/grants.ts'
import { type CustomRole, listCustomRoles, listDirectRoles, listGroupSources } from '../store/people.ts'

/** Everybody in the account, and where their access to this project comes from. */
export async function listAccess(parts: Parts, call: Call<typeof operations.projectAccess.list>) {
  const { accountId, projectId, principal } = call
  const { database, clock } = parts.kernel
  const { sql } = database
  const now = clock.now()
  const place = { accountId, projectId }
  const after = readPosition(call.query.cursor)
  const rows = await listMemberRows(sql, accountId, now, { after, limit: pageSize + 1 })
  const ids = rows.map(({ userId }) => userId)
  const all = { afterId: undefined, limit: pageSize }
  const direct = new Map((await listDirectRoles(sql, projectId, ids, now)).map((row) => [row.userId, row]))
  const byGroup = groupBy(await listGroupSources(sql, projectId, ids, now))
  const custom = groupBy(await listCustomRoles(sql, place, ids, now))
  const named = await listResourceGrants(sql, place, now, { ...all, userIds: ids })
  const resources = named.length === 0 ? undefined : await readResources(parts, projectId)
  const secrets = await findSecrets(parts, projectId, named)
  const grants = groupBy(named.map((row) => ({ ...row, userId: row.principalId })))
  const groups = await listGroupGrants(sql, place, now, all)
  const canManage = await call.can('project.members.manage')

  function toMember(row: MemberRow) {
    const own = direct.get(row.userId)
    const sources = byGroup.get(row.userId) ?? []
    const isImplicit = row.role !== 'member'
    const { role, source } = standing(
      isImplicit,
      own?.role,
      sources.map((one) => one.role),
    )
    return {
      user_id: row.userId,
      email: row.email,
      account_role: row.role,
      project_role: own?.role ?? null,
      effective_project_role: role,
      has_implicit_access: isImplicit,
      effective_source: source,
      group_sources: sources.map(({ groupId, groupName, role }) => ({
        group_id: groupId,
        group_name: groupName,
        role,
      })),
      joined_at: row.joinedAt.toISOString(),
      granted_by: own?.grantedBy ?? null,
      granted_at: own?.createdAt.toISOString() ?? null,
      updated_at: own?.updatedAt.toISOString() ?? null,
      expires_at: own?.expiresAt?.toISOString() ?? null,
      custom_role_policies: (custom.get(row.userId) ?? []).map(toPolicy),
      resource_grants: (grants.get(row.userId) ?? []).map((grant) => toResourceGrant(grant, resources, secrets)),
    }
  }

  return answerPage(rows, toPosition, (shown) => ({
    project_id: projectId,
    account_id: accountId,
    can_manage: canManage,
    viewer_user_id: isUuid(principal.id) ? principal.id : null,
    members: shown.map(toMember),
    group_access: groups.map(toGroupGrant),
  }))
}

type Role = 'manager' | 'member'

/** The strongest counts; of two that are equal, the one that somebody was given themselves. */
function standing(isImplicit: boolean, own: Role | undefined, byGroups: readonly Role[]) {
  if (isImplicit) return { role: 'manager', source: 'implicit' } as const
  const group = byGroups.includes('manager') ? 'manager' : byGroups[0]
  if (own === 'manager' || (own !== undefined && group !== 'manager')) return { role: own, source: 'direct' } as const
  return group === undefined ? ({ role: null, source: null } as const) : ({ role: group, source: 'group' } as const)
}

function toPolicy(row: CustomRole) {
  return {
    assignment_id: row.assignmentId,
    role_id: row.roleId,
    role_key: row.roleKey,
    role_name: row.roleName,
    scope_type: row.scopeType,
    expires_at: row.expiresAt?.toISOString() ?? null,
  }
}

function groupBy<Row extends { readonly userId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(row.userId, [...(groups.get(row.userId) ?? []), row])
  return groups
}

const toPosition = ({ rank, email }: MemberRow) => Buffer.from(JSON.stringify([rank, email])).toString('base64url')

function readPosition(cursor: string | undefined): MemberPosition | undefined {
  if (cursor === undefined) return undefined
  const [, rank, email] = /^\[([1-3]),"([^"\\\0]+)"\]$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (rank === undefined || email === undefined) throw badCursor()
  return { rank: Number(rank), email }
}
