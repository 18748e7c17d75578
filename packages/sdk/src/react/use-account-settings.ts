'use client'
import type { AccountCalls, AuditFilters, BrandingAssetKind } from '../client/account-calls.ts'
import type { IamCalls } from '../client/iam-calls.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

/**
 * Who the credential in use stands for.
 *
 * @example
 * const { data: identity } = useIdentity()
 */
export function useIdentity() {
  return useSvcQuery(svcKey('identity'), 'config', async () => {
    const { identity, error } = await hookClient().validateToken()
    if (identity) return identity
    throw error ?? new Error('The service did not say who this is.')
  })
}

/**
 * Invitations to an account that nobody accepted yet, with `cancel` and `resend`.
 *
 * @example
 * const { data: invites, cancel } = useAccountInvites(accountId)
 */
export function useAccountInvites(accountId: MaybeId) {
  const key = svcKey('account', accountId, 'invites')
  const read = accountId ? () => hookClient().accounts.invites(accountId) : null
  const on = <T>(use: (calls: AccountCalls, id: string) => Promise<T>) =>
    requireId(accountId, (id) => use(hookClient().accounts, id))
  return {
    ...useSvcQuery(key, 'inventory', read),
    cancel: useSvcMutation((inviteId: string) => on((calls, id) => calls.cancelInvite(id, inviteId)), key),
    resend: useSvcMutation((inviteId: string) => on((calls, id) => calls.resendInvite(id, inviteId)), key),
  }
}

/**
 * How an account presents itself, with `update`, `uploadAsset`, `removeAsset` and `reset`.
 *
 * @example
 * const { data, update } = useBranding(accountId)
 */
export function useBranding(accountId: MaybeId) {
  const key = svcKey('account', accountId, 'branding')
  const read = accountId ? () => hookClient().accounts.branding.get(accountId) : null
  const on = <T>(use: (calls: AccountCalls['branding'], id: string) => Promise<T>) =>
    requireId(accountId, (id) => use(hookClient().accounts.branding, id))
  const stale = [key, svcKey('accounts')]
  return {
    ...useSvcQuery(key, 'config', read),
    update: useSvcMutation(
      (input: Parameters<AccountCalls['branding']['update']>[1]) => on((calls, id) => calls.update(id, input)),
      ...stale,
    ),
    uploadAsset: useSvcMutation(
      ({ kind, file }: { kind: BrandingAssetKind; file: Blob }) => on((calls, id) => calls.uploadAsset(id, kind, file)),
      ...stale,
    ),
    removeAsset: useSvcMutation((kind: BrandingAssetKind) => on((calls, id) => calls.removeAsset(id, kind)), ...stale),
    reset: useSvcMutation(() => on((calls, id) => calls.reset(id)), ...stale),
  }
}

/**
 * Everything that can be allowed or refused, with what it means.
 *
 * @example
 * const { data } = usePermissions(accountId, 'project')
 */
export function usePermissions(accountId: MaybeId, scopeType?: 'account' | 'project') {
  const read = accountId ? () => hookClient().iam.listPermissions(accountId, { scope_type: scopeType }) : null
  return useSvcQuery(svcKey('account', accountId, 'permissions', scopeType ?? null), 'config', read)
}

/**
 * Asks whether somebody may do something, and why.
 *
 * @example
 * const explain = useExplain(accountId)
 * const { results } = await explain.mutateAsync({ probes: [{ action: 'project.read', project_id }] })
 */
export function useExplain(accountId: MaybeId) {
  return useSvcMutation((input: Parameters<IamCalls['explain']>[1]) =>
    requireId(accountId, (id) => hookClient().iam.explain(id, input)),
  )
}

/**
 * Fetches an account's audit events as CSV, for a file.
 *
 * @example
 * const exportCsv = useAuditExport(accountId)
 * const csv = await exportCsv.mutateAsync({ outcome: 'denied' })
 */
export function useAuditExport(accountId: MaybeId) {
  return useSvcMutation((filters: AuditFilters) =>
    requireId(accountId, (id) => hookClient().accounts.audit.export(id, { ...filters, format: 'csv' })),
  )
}
