import type { operations } from '@svc/contract'
import { projectRoleIds } from '../../access/index.ts'
import { answerPage, type Call, pageSize, problem, readIdCursor } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { readExpiry } from '../read-expiry.ts'
import { type GroupGrantRow, isGroupOfAccount, listGroupGrants as listRows } from '../store/grants.ts'

type Ops = typeof operations.projectAccess

export async function listGroupGrants(parts: Parts, call: Call<Ops['groupGrants']>) {
  const { accountId, projectId } = call
  const { database, clock } = parts.kernel
  const page = { afterId: readIdCursor(call.query.cursor), limit: pageSize + 1 }
  const rows = await listRows(database.sql, { accountId, projectId }, clock.now(), page)
  return answerPage(
    rows,
    ({ assignmentId }) => assignmentId,
    (shown) => ({ grants: shown.map(toGroupGrant) }),
  )
}

/** A group has one role in a project: attaching it again changes that one. */
export async function attachGroupGrant(parts: Parts, call: Call<Ops['attachGroupGrant']>) {
  const { accountId } = call
  const groupId = call.body.group_id.toLowerCase()
  const expiresAt = readExpiry(parts, call.body.expires_at)
  if (!(await isGroupOfAccount(parts.kernel.database.sql, accountId, groupId))) throw noGroup()
  return grantGroup(parts, call, { groupId, role: call.body.role, expiresAt, action: 'project.access.group_attached' })
}

export async function updateGroupGrant(parts: Parts, call: Call<Ops['updateGroupGrant']>) {
  const { accountId, projectId } = call
  const { database, clock } = parts.kernel
  const groupId = call.params.groupId.toLowerCase()
  const everything = { afterId: undefined, limit: Number.MAX_SAFE_INTEGER }
  const rows = await listRows(database.sql, { accountId, projectId }, clock.now(), everything)
  const current = rows.find((row) => row.groupId === groupId)
  if (!current) throw noGroup()
  const expiresAt = call.body.expires_at === undefined ? current.expiresAt : readExpiry(parts, call.body.expires_at)
  return grantGroup(parts, call, { groupId, role: call.body.role, expiresAt, action: 'project.access.group_updated' })
}

/** Detaching what is not attached is done already. */
export async function detachGroupGrant(parts: Parts, call: Call<Ops['detachGroupGrant']>) {
  const { accountId, projectId } = call
  const groupId = call.params.groupId.toLowerCase()
  await parts.kernel.database.transact(call.actor, async (tx) => {
    const revoked = await parts.access.revokeRoles(tx, {
      accountId,
      principal: { type: 'group', id: groupId },
      projectId,
      onObject: false,
      roleIds: Object.values(projectRoleIds),
    })
    if (revoked.length === 0) return
    await tx.audit({
      action: 'project.access.group_detached',
      outcome: 'success',
      resourceType: 'group',
      resourceId: groupId,
    })
  })
  return { ok: true as const }
}

interface Grant {
  readonly groupId: string
  readonly role: 'manager' | 'member'
  readonly expiresAt: Date | null
  readonly action: string
}

async function grantGroup(
  parts: Parts,
  { accountId, projectId, actor }: Pick<Call, 'accountId' | 'projectId' | 'actor'>,
  { groupId, role, expiresAt, action }: Grant,
) {
  await parts.kernel.database.transact(actor, async (tx) => {
    const principal = { type: 'group', id: groupId } as const
    await parts.access.grantRole(tx, { accountId, principal, projectId, roleId: projectRoleIds[role], expiresAt })
    await tx.audit({
      action,
      outcome: 'success',
      resourceType: 'group',
      resourceId: groupId,
      after: { project_role: role, expires_at: expiresAt?.toISOString() ?? null },
    })
  })
  return { project_id: projectId, group_id: groupId, role }
}

export function toGroupGrant(row: GroupGrantRow) {
  return {
    group_id: row.groupId,
    group_name: row.groupName,
    role: row.role,
    granted_by: row.grantedBy,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
    member_count: row.memberCount,
    override_count: row.overrideCount,
  }
}

const noGroup = () => problem('not_found', { say: 'There is no such group here.' })
