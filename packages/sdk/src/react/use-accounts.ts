'use client'
import type { AccountCalls, AuditFilters } from '../client/account-calls.ts'
import { useSvcPages } from './svc-pages.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

/**
 * The accounts of the signed-in person, with `create` and `rename`.
 *
 * @example
 * const { data: accounts } = useAccounts()
 */
export function useAccounts() {
  const query = useSvcQuery(svcKey('accounts'), 'inventory', () => hookClient().accounts.list())
  const create = useSvcMutation(hookClient().accounts.create, svcKey('accounts'))
  const rename = useSvcMutation(
    ({ accountId, name }: { accountId: string; name: string }) => hookClient().accounts.updateName(accountId, name),
    svcKey('accounts'),
    svcKey('account'),
  )
  return { ...query, create, rename }
}

/**
 * One account.
 *
 * @example
 * const { data: account } = useAccount(accountId)
 */
export function useAccount(accountId: MaybeId) {
  const read = accountId ? () => hookClient().accounts.get(accountId) : null
  return useSvcQuery(svcKey('account', accountId), 'inventory', read)
}

/**
 * The people of an account, a page at a time, with `invite`, `updateRole` and `remove`.
 *
 * @example
 * const { data: members, invite } = useAccountMembers(accountId)
 */
export function useAccountMembers(accountId: MaybeId) {
  const query = useSvcPages(
    svcKey('account', accountId, 'members'),
    'inventory',
    accountId ? ({ accounts }, cursor) => accounts.members(accountId, { cursor }) : null,
    joinRows,
  )
  const stale = [svcKey('account', accountId), svcKey('can')]
  const invite = useSvcMutation(
    (input: Parameters<AccountCalls['invite']>[1]) =>
      requireId(accountId, (id) => hookClient().accounts.invite(id, input)),
    ...stale,
  )
  const updateRole = useSvcMutation(
    ({ userId, role }: { userId: string; role: Parameters<AccountCalls['updateMemberRole']>[2] }) =>
      requireId(accountId, (id) => hookClient().accounts.updateMemberRole(id, userId, role)),
    ...stale,
  )
  const remove = useSvcMutation(
    (userId: string) => requireId(accountId, (id) => hookClient().accounts.removeMember(id, userId)),
    ...stale,
  )
  return { ...query, invite, updateRole, remove }
}

/**
 * The keys of an account, a page at a time, with `create` and `revoke`. `create.data.secret_key` is shown once.
 *
 * @example
 * const { data: tokens, create } = useAccountTokens(accountId, { mine: true })
 */
export function useAccountTokens(accountId: MaybeId, options: { readonly mine?: boolean } = {}) {
  const query = useSvcPages(
    svcKey('account', accountId, 'tokens', options),
    'inventory',
    accountId ? ({ accounts }, cursor) => accounts.tokens.list(accountId, { ...options, cursor }) : null,
    joinRows,
  )
  const stale = svcKey('account', accountId, 'tokens')
  const create = useSvcMutation(
    (input: Omit<Parameters<AccountCalls['tokens']['create']>[0], 'accountId'>) =>
      requireId(accountId, (id) => hookClient().accounts.tokens.create({ ...input, accountId: id })),
    stale,
  )
  const revoke = useSvcMutation(
    (tokenId: string) => requireId(accountId, (id) => hookClient().accounts.tokens.revoke(tokenId, id)),
    stale,
  )
  return { ...query, create, revoke }
}

/**
 * A page of an account's audit log, newest first.
 *
 * @example
 * const { data } = useAuditLog(accountId, { outcome: 'denied' })
 */
export function useAuditLog(accountId: MaybeId, filters: AuditFilters = {}) {
  const read = accountId ? () => hookClient().accounts.audit.log(accountId, filters) : null
  return useSvcQuery(svcKey('account', accountId, 'audit', filters), 'volatile', read)
}

const joinRows = <Row>(pages: readonly (readonly Row[])[]): Row[] => pages.flat()
