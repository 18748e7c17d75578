import { operations } from '@svc/contract'
import { answerPage, type Handled, handle, pageSize, readIdCursor } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { type KeyRow, listKeys } from '../store/tokens.ts'
import { createToken } from './create-token.ts'
import { revokeToken } from './revoke-token.ts'

export function tokenRoutes(parts: Parts): Handled[] {
  const { listTokens, createToken: create, revokeToken: revoke } = operations.accounts
  return [
    handle(listTokens, async ({ accountId, principal, query }) => {
      const rows = await listKeys(parts.kernel.database.sql, accountId, {
        madeBy: query.mine === true ? principal.id : undefined,
        beforeId: readIdCursor(query.cursor),
        limit: pageSize + 1,
      })
      return answerPage(
        rows,
        ({ tokenId }) => tokenId,
        (shown) => shown.map(toToken),
      )
    }),
    handle(create, (call) => createToken(parts, call.accountId, call.body, call)),
    handle(revoke, async (call) => {
      await revokeToken(parts, call.accountId, call.params.tokenId, call)
      return { ok: true as const }
    }),
  ]
}

function toToken(row: KeyRow) {
  return {
    token_id: row.tokenId,
    name: row.name,
    project_id: row.projectId,
    public_key: row.publicKey,
    status: row.status,
    expires_at: row.expiresAt?.toISOString() ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    revoked_at: row.revokedAt?.toISOString() ?? null,
  }
}
