import type { Permission } from '@svc/contract'
import { problem } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import { findActiveKey, type KeyRow } from '../store/tokens.ts'
import { managesOwnKeys } from './own-key.ts'

interface Caller {
  readonly principal: Principal
  require(permission: Permission): Promise<void>
}

export async function revokeToken(parts: Parts, accountId: string, tokenId: string, caller: Caller): Promise<void> {
  const { principal } = caller
  const key = await findActiveKey(parts.kernel.database.sql, accountId, tokenId)
  if (!key) throw noKey()
  if (!isOwn(key, principal)) await caller.require('token.revoke')
  await parts.kernel.database.transact(principal.actor, async (tx) => {
    const revoked = await parts.identity.revokeTokens(tx, { tokenId, accountId })
    if (revoked.length === 0) throw noKey()
    await tx.audit({
      action: 'iam.token.revoke',
      outcome: 'success',
      accountId,
      ...(key.projectId === null ? {} : { projectId: key.projectId }),
      resourceType: 'token',
      resourceId: tokenId,
      before: { name: key.name, kind: key.kind },
    })
  })
}

function isOwn({ kind, userId }: KeyRow, principal: Principal): boolean {
  return kind !== 'session' && userId === principal.id && managesOwnKeys(principal)
}

const noKey = () => problem('not_found', { say: 'There is no such active key in this account.' })
