import { projectRoleIds } from '../../access/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import type { Parts } from '../parts.ts'
import type { InviteGrant } from '../schema.ts'

/** To somebody, or to whoever will have an address. */
export async function grantProjects(
  parts: Parts,
  tx: Tx,
  accountId: string,
  principal: { readonly type: 'user' | 'pending'; readonly id: string },
  grants: readonly InviteGrant[],
): Promise<void> {
  for (const { project_id: projectId, role, expires_at } of grants) {
    await parts.access.grantRole(tx, {
      accountId,
      principal,
      projectId,
      roleId: projectRoleIds[role],
      expiresAt: expires_at ? new Date(expires_at) : null,
      source: 'invite',
    })
  }
}
