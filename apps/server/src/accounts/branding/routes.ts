import { operations } from '@svc/contract'
import { type Handled, handle } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import type { AssetKind } from '../store/branding.ts'
import { removeAsset, resetBranding, setAppName, uploadAsset } from './change-branding.ts'
import { describeBranding } from './read-branding.ts'
import { serveAsset } from './serve-asset.ts'

export function brandingRoutes(parts: Parts): Handled[] {
  const { accounts } = operations
  return [
    handle(accounts.getBranding, ({ accountId }) => describeBranding(parts, accountId)),
    handle(accounts.updateBranding, async ({ accountId, actor, body }) => {
      await setAppName(parts, { accountId, actor }, body.app_name)
      return describeBranding(parts, accountId)
    }),
    handle(accounts.uploadAsset, async ({ accountId, actor, params, body }) => {
      await uploadAsset(parts, { accountId, actor, kind: readKind(params.kind) }, body.file)
      return describeBranding(parts, accountId)
    }),
    handle(accounts.removeAsset, async ({ accountId, actor, params }) => {
      await removeAsset(parts, { accountId, actor, kind: readKind(params.kind) })
      return describeBranding(parts, accountId)
    }),
    handle(accounts.resetBranding, async ({ accountId, actor }) => {
      await resetBranding(parts, { accountId, actor })
      return describeBranding(parts, accountId)
    }),
    handle(accounts.brandingFile, ({ params }) => serveAsset(parts, params.accountId, params.file)),
  ]
}

const kinds = ['logo', 'icon', 'favicon', 'logo_dark', 'icon_dark', 'favicon_dark'] as const

/** The contract let no other word through. */
function readKind(given: string): AssetKind {
  const kind = kinds.find((known) => known === given)
  if (!kind) throw new TypeError(`${given} is no kind of picture`)
  return kind
}
