import type { operations } from '@svc/contract'
import { answerPage, type Call, pageSize, problem, readIdCursor } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { readProjectName } from '../store/people.ts'
import { findActiveKey, listProjectKeys } from '../store/tokens.ts'

type Ops = typeof operations.projectTokens

const maxNameChars = 255

export async function listTokens(parts: Parts, call: Call<Ops['list']>) {
  const page = { beforeId: readIdCursor(call.query.cursor), limit: pageSize + 1 }
  const rows = await listProjectKeys(parts.kernel.database.sql, call.projectId, page)
  return answerPage(
    rows,
    ({ tokenId }) => tokenId,
    (shown) => ({
      items: shown.map((row) => ({
        token_id: row.tokenId,
        name: row.name,
        public_key: row.publicKey,
        status: row.status,
        expires_at: row.expiresAt?.toISOString() ?? null,
        last_used_at: row.lastUsedAt?.toISOString() ?? null,
        created_at: row.createdAt.toISOString(),
        revoked_at: row.revokedAt?.toISOString() ?? null,
      })),
    }),
  )
}

/** Carries the rights of whoever makes it, in this project and nowhere else. */
export async function createToken(parts: Parts, call: Call<Ops['create']>) {
  const { accountId, projectId, principal } = call
  const name = call.body.name || `cli · ${await readProjectName(parts.kernel.database.sql, projectId)}`
  const owner = principal.kind === 'user' ? { userId: principal.id } : { serviceAccountId: principal.id }
  return parts.kernel.database.transact(call.actor, async (tx) => {
    const { row, secret } = await parts.tokens.mintToken(tx, {
      ...owner,
      kind: 'project',
      accountId,
      projectId,
      name: [...name].slice(0, maxNameChars).join(''),
    })
    await tx.audit({
      action: 'project.token.create',
      outcome: 'success',
      resourceType: 'token',
      resourceId: row.tokenId,
      after: { name: row.name },
    })
    return {
      token_id: row.tokenId,
      name: row.name,
      public_key: row.publicKey,
      secret_key: secret,
      status: row.status,
      project_id: projectId,
      expires_at: row.expiresAt?.toISOString() ?? null,
      created_at: row.createdAt.toISOString(),
    }
  })
}

export async function revokeToken(parts: Parts, call: Call<Ops['revoke']>) {
  const { accountId, projectId } = call
  const { tokenId } = call.params
  const key = await findActiveKey(parts.kernel.database.sql, projectId, tokenId)
  if (!key) throw noKey()
  await parts.kernel.database.transact(call.actor, async (tx) => {
    const revoked = await parts.tokens.revokeTokens(tx, { tokenId, accountId })
    if (revoked.length === 0) throw noKey()
    await tx.audit({
      action: 'project.token.revoke',
      outcome: 'success',
      resourceType: 'token',
      resourceId: tokenId,
      before: { name: key.name },
    })
  })
  return { ok: true as const }
}

const noKey = () => problem('not_found', { say: 'There is no such active key in this project.' })
