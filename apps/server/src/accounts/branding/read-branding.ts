import type { Branding } from '@svc/contract'
import type { z } from 'zod'
import type { Parts } from '../parts.ts'
import { type BrandingRow, listBrandingRows } from '../store/branding.ts'

export type BrandingRecord = z.input<typeof Branding>

/** As accounts carry it: nothing where nothing is set, nor where the plan no longer includes it. */
export async function readBrandings(parts: Parts, accountIds: readonly string[]): Promise<Map<string, BrandingRecord>> {
  const shown = new Map<string, BrandingRecord>()
  for (const row of await listBrandingRows(parts.kernel.database.sql, accountIds)) {
    if (await parts.access.isEntitled(row.accountId, 'branding')) shown.set(row.accountId, toBranding(parts, row))
  }
  return shown
}

/** As the branding routes show it: what is set, and whether it takes effect. */
export async function describeBranding(parts: Parts, accountId: string) {
  const [row] = await listBrandingRows(parts.kernel.database.sql, [accountId])
  return {
    branding: toBranding(parts, row ?? { accountId, appName: null, assets: [] }),
    entitled: await parts.access.isEntitled(accountId, 'branding'),
  }
}

function toBranding(parts: Parts, { accountId, appName, assets }: BrandingRow): BrandingRecord {
  const urls = new Map(
    assets.map(({ kind, sha256, extension }) => [
      kind,
      `${parts.publicUrl()}/v1/branding/${accountId}/${sha256}.${extension}`,
    ]),
  )
  return {
    app_name: appName,
    logo_url: urls.get('logo') ?? null,
    icon_url: urls.get('icon') ?? null,
    favicon_url: urls.get('favicon') ?? null,
    logo_dark_url: urls.get('logo_dark') ?? null,
    icon_dark_url: urls.get('icon_dark') ?? null,
    favicon_dark_url: urls.get('favicon_dark') ?? null,
  }
}
