import { and, eq } from 'drizzle-orm'
import type { DrizzleTransaction, Sql, Tx } from '../../kernel/database/index.ts'
import { accountBranding, brandingAssets } from '../schema.ts'

export type AssetKind = typeof brandingAssets.$inferSelect.kind
export type ImageExtension = typeof brandingAssets.$inferSelect.extension

export interface BrandingRow {
  readonly accountId: string
  readonly appName: string | null
  readonly assets: readonly { kind: AssetKind; sha256: string; extension: ImageExtension }[]
}

/** Only accounts that have set something. */
export async function listBrandingRows(sql: Sql, accountIds: readonly string[]): Promise<BrandingRow[]> {
  if (accountIds.length === 0) return []
  const ids = [...accountIds]
  return sql<BrandingRow[]>`
    select account_id as "accountId", max(app_name) as "appName",
      coalesce(json_agg(json_build_object('kind', kind, 'sha256', sha256, 'extension', extension))
        filter (where kind is not null), '[]') as assets
    from (
      select account_id, app_name, null as kind, null as sha256, null as extension
      from svc.account_branding where account_id = any(${ids}::uuid[]) and app_name is not null
      union all
      select account_id, null, kind, sha256, extension
      from svc.branding_assets where account_id = any(${ids}::uuid[])) as parts
    group by account_id`
}

export async function putAppName(tx: Tx, accountId: string, appName: string | null, now: Date): Promise<void> {
  await tx.db
    .insert(accountBranding)
    .values({ accountId, appName, updatedAt: now })
    .onConflictDoUpdate({ target: accountBranding.accountId, set: { appName, updatedAt: now } })
}

/** Takes the place of the previous picture of this kind. */
export async function putAsset(db: DrizzleTransaction, asset: typeof brandingAssets.$inferInsert): Promise<void> {
  const { sha256, extension, content, updatedAt } = asset
  await db
    .insert(brandingAssets)
    .values(asset)
    .onConflictDoUpdate({
      target: [brandingAssets.accountId, brandingAssets.kind],
      set: { sha256, extension, content, updatedAt },
    })
}

export async function deleteAsset(tx: Tx, accountId: string, kind: AssetKind): Promise<boolean> {
  const gone = await tx.db
    .delete(brandingAssets)
    .where(and(eq(brandingAssets.accountId, accountId), eq(brandingAssets.kind, kind)))
    .returning({ kind: brandingAssets.kind })
  return gone.length > 0
}

export async function deleteBranding(tx: Tx, accountId: string): Promise<void> {
  await tx.db.delete(accountBranding).where(eq(accountBranding.accountId, accountId))
  await tx.db.delete(brandingAssets).where(eq(brandingAssets.accountId, accountId))
}

export interface AssetFile {
  readonly extension: ImageExtension
  readonly content: Buffer
}

export async function findAssetFile(sql: Sql, accountId: string, sha256: string): Promise<AssetFile | undefined> {
  const [row] = await sql<AssetFile[]>`
    select extension, content from svc.branding_assets
    where account_id = ${accountId} and sha256 = ${sha256} limit 1`
  return row
}
