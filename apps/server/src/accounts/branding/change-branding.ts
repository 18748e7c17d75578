import { createHash } from 'node:crypto'
import { maxAssetBytes } from '@svc/contract'
import type { Actor } from '../../kernel/actor.ts'
import { problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { type AssetKind, deleteAsset, deleteBranding, putAppName, putAsset } from '../store/branding.ts'
import { detectImage } from './detect-image.ts'

interface Place {
  readonly accountId: string
  readonly actor: Actor
}

export async function setAppName(
  { kernel }: Parts,
  { accountId, actor }: Place,
  appName: string | null,
): Promise<void> {
  await kernel.database.transact(actor, async (tx) => {
    await putAppName(tx, accountId, appName, kernel.clock.now())
    await tx.audit({ ...describe('account.branding.update', accountId), after: { app_name: appName } })
  })
}

/** The picture takes the place of the previous one; its address changes with its bytes. */
export async function uploadAsset({ kernel }: Parts, place: Place & { kind: AssetKind }, file: Blob): Promise<void> {
  if (file.size > maxAssetBytes) {
    throw problem('payload_too_large', {
      say: `The picture is larger than ${maxAssetBytes} bytes.`,
      extras: { limit_bytes: maxAssetBytes },
    })
  }
  const { accountId, actor, kind } = place
  const content = Buffer.from(await file.arrayBuffer())
  const extension = detectImage(content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  await kernel.database.transact(actor, async (tx) => {
    await putAsset(tx.db, { accountId, kind, sha256, extension, content, updatedAt: kernel.clock.now() })
    await tx.audit({
      ...describe('account.branding.asset.upload', accountId),
      after: { kind, sha256, extension, size_bytes: content.length },
    })
  })
}

export async function removeAsset({ kernel }: Parts, { accountId, actor, kind }: Place & { kind: AssetKind }) {
  await kernel.database.transact(actor, async (tx) => {
    if (!(await deleteAsset(tx, accountId, kind))) return
    await tx.audit({ ...describe('account.branding.asset.remove', accountId), before: { kind } })
  })
}

export async function resetBranding({ kernel }: Parts, { accountId, actor }: Place): Promise<void> {
  await kernel.database.transact(actor, async (tx) => {
    await deleteBranding(tx, accountId)
    await tx.audit(describe('account.branding.reset', accountId))
  })
}

function describe(action: string, accountId: string) {
  return { action, outcome: 'success', accountId, resourceType: 'account', resourceId: accountId }
}
