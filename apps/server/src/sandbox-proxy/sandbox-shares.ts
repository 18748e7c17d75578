import type { operations } from '@svc/contract'
import { type Call, problem } from '../kernel/http/index.ts'
import { newId } from '../kernel/ids/index.ts'
import { randomBase62 } from '../kernel/tokens/index.ts'
import type { Parts } from './parts.ts'
import { requireSharedPort } from './public-share.ts'
import { addShare, countShares, listShares, revokeShare, type SandboxShareRow } from './store.ts'

type Operations = typeof operations.sandboxProxy

const maxSharesOfMachine = 100
const defaultTtl = '1h'

export async function listSandboxShares(parts: Parts, call: Call<Operations['listShares']>) {
  const { kernel, sessions } = parts
  await sessions.openMachine(call.principal, call.query.sandbox_id)
  const rows = await listShares(kernel.database.db, call.query.sandbox_id, kernel.clock.nowMs())
  return { shares: await Promise.all(rows.map(async (row) => toRecord(parts, row, await readToken(parts, row)))) }
}

export async function createSandboxShare(parts: Parts, call: Call<Operations['createShare']>) {
  const { kernel, sessions } = parts
  const { sandbox_id: externalId, port, label, ttl = defaultTtl } = call.body
  requireSharedPort(port)
  const session = await sessions.openMachine(call.principal, externalId)
  if (!session.isActive) throw problem('sandbox_not_ready')
  const token = randomBase62(32)
  const shareId = newId()
  const row: SandboxShareRow = {
    shareId,
    tokenHash: kernel.tokenHasher.hashToken(token),
    sealedToken: await kernel.envelope.seal(placeOf(session.accountId, shareId), token),
    accountId: session.accountId,
    projectId: session.projectId,
    sessionId: session.sessionId,
    externalId,
    port,
    label: label ?? null,
    createdBy: call.principal.id,
    expiresAt: new Date(kernel.clock.nowMs() + readTtlMs(ttl)),
    revokedAt: null,
    createdAt: new Date(kernel.clock.nowMs()),
  }
  await kernel.database.transact(call.actor, async (tx) => {
    if ((await countShares(tx, externalId, kernel.clock.nowMs())) >= maxSharesOfMachine) {
      throw problem('sandbox_share_limit')
    }
    await addShare(tx, row)
    const metadata = { port, expires_at: row.expiresAt.toISOString() }
    await tx.audit({ action: 'sandbox_share.create', resourceType: 'sandbox_share', resourceId: shareId, metadata })
  })
  return toRecord(parts, row, token)
}

export async function revokeSandboxShare({ kernel, sessions }: Parts, call: Call<Operations['revokeShare']>) {
  const { sandbox_id: externalId } = call.query
  await sessions.openMachine(call.principal, externalId)
  const tokenHash = kernel.tokenHasher.hashToken(call.params.token)
  await kernel.database.transact(call.actor, async (tx) => {
    const row = await revokeShare(tx, externalId, tokenHash, new Date(kernel.clock.nowMs()))
    if (!row) throw problem('not_found')
    await tx.audit({ action: 'sandbox_share.revoke', resourceType: 'sandbox_share', resourceId: row.shareId })
  })
  return { ok: true as const }
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const maxTtlMs = 30 * 86_400_000

function readTtlMs(ttl: string): number {
  return Math.min(Number(ttl.slice(0, -1)) * (unitMs[ttl.slice(-1)] ?? 0), maxTtlMs)
}

function readToken({ kernel }: Parts, { accountId, shareId, sealedToken }: SandboxShareRow): Promise<string> {
  return kernel.envelope.openText(placeOf(accountId, shareId), sealedToken)
}

function placeOf(accountId: string, shareId: string) {
  return { scope: accountId, table: 'sandbox_shares', row: shareId, field: 'sealed_token' }
}

function toRecord({ publicUrl }: Parts, { port, expiresAt, label }: SandboxShareRow, token: string) {
  return {
    url: `${publicUrl()}/v1/p/public-share/${token}/${port}/`,
    port,
    token,
    expiresAt: expiresAt.toISOString(),
    ...(label === null ? {} : { label }),
  }
}
