import { projectRoleIds } from '../../access/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import type { Parts } from '../parts.ts'
import { findEmail } from '../store/people.ts'

export type ProjectRole = 'manager' | 'member'

interface Grant {
  readonly accountId: string
  readonly projectId: string
  readonly userId: string
  readonly role: ProjectRole
  readonly expiresAt: Date | null
}

/**
 * Gives a member of the account a role in the project and says how they stand then. Owners and admins manage every
 * project anyway: they lose a role of their own instead. The caller has locked the account.
 */
export async function grantAccess(parts: Parts, tx: Tx, grant: Grant, accountRole: 'owner' | 'admin' | 'member') {
  const { accountId, projectId, userId, role, expiresAt } = grant
  const principal = { type: 'user', id: userId } as const
  const isImplicit = accountRole !== 'member'
  await parts.invites.forgetOffers(tx, { accountId, projectId, principal })
  if (isImplicit) await takeRole(parts, tx, grant)
  else await parts.access.grantRole(tx, { accountId, principal, projectId, roleId: projectRoleIds[role], expiresAt })
  const email = await findEmail(parts.kernel.database.sql, userId)
  return {
    user_id: userId,
    ...(email === undefined ? {} : { email }),
    account_role: accountRole,
    project_role: isImplicit ? null : role,
    effective_project_role: isImplicit ? ('manager' as const) : role,
    has_implicit_access: isImplicit,
  }
}

type Place = Pick<Grant, 'accountId' | 'projectId' | 'userId'>

/** The system role that somebody holds themselves; what names them on objects stays. */
export async function takeRole(parts: Parts, tx: Tx, { accountId, projectId, userId }: Place): Promise<number> {
  const revoked = await parts.access.revokeRoles(tx, {
    accountId,
    principal: { type: 'user', id: userId },
    projectId,
    onObject: false,
    roleIds: Object.values(projectRoleIds),
  })
  return revoked.length
}
