import type { operations } from '@svc/contract'
import type { Call } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { addKey, hasKey, listKeys } from './store.ts'

const prefixLength = 14

export async function readKeys(parts: Parts, projectId: string) {
  const rows = await listKeys(parts.kernel.database.sql, projectId)
  const nowMs = parts.kernel.clock.nowMs()
  const { gatewayUrl } = parts.kernel.config
  return {
    gateway_url: gatewayUrl === undefined ? `${parts.publicUrl()}/v1/llm` : `${gatewayUrl}/v1`,
    keys: rows.map((row) => ({
      key_id: row.key_id,
      name: row.name,
      key_prefix: row.key_prefix,
      status: row.expires_at !== null && row.expires_at.getTime() <= nowMs ? ('expired' as const) : row.status,
      last_used_at: row.last_used_at?.toISOString() ?? null,
      created_at: row.created_at.toISOString(),
    })),
  }
}

/** The key is in this answer and nowhere else. It acts as whoever made it, in this project only. */
export async function createKey(parts: Parts, call: Call<typeof operations.modelUsage.createKey>) {
  const { projectId, accountId, principal, body } = call
  return parts.kernel.database.transact(call.actor, async (tx) => {
    const { row, secret } = await parts.tokens.mintToken(tx, {
      kind: 'gateway',
      accountId,
      projectId,
      name: body.name,
      ...(principal.kind === 'user' ? { userId: principal.id } : { serviceAccountId: principal.id }),
    })
    const keyPrefix = secret.slice(0, prefixLength)
    await addKey(tx.db, { keyId: row.tokenId, projectId, keyPrefix })
    await tx.audit({
      action: 'gateway.key_created',
      resourceType: 'gateway_key',
      resourceId: row.tokenId,
      metadata: { name: body.name },
    })
    return { key_id: row.tokenId, name: row.name, key_prefix: keyPrefix, secret_key: secret }
  })
}

export async function revokeKey(parts: Parts, call: Call<typeof operations.modelUsage.revokeKey>) {
  const { keyId } = call.params
  return parts.kernel.database.transact(call.actor, async (tx) => {
    if (!(await hasKey(tx.db, call.projectId, keyId))) return { ok: false }
    const revoked = await parts.tokens.revokeTokens(tx, { tokenId: keyId, projectId: call.projectId, kind: 'gateway' })
    if (revoked.length === 0) return { ok: false }
    await tx.audit({ action: 'gateway.key_revoked', resourceType: 'gateway_key', resourceId: keyId })
    return { ok: true }
  })
}
