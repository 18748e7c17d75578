import { type AnyOperation, fieldNames } from '@svc/contract'
import { type ParsedInput, problem } from '../../kernel/http/index.ts'
import { isUuid } from '../../kernel/ids/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import { accountRoleOf, hasAnyRole } from '../engine/facts.ts'
import * as say from '../engine/sentences.ts'
import type { FactsSource } from '../facts-source.ts'
import type { Membership } from '../store/load-facts.ts'
import { readField } from './reach.ts'

export type EnsurePersonalAccount = (userId: string) => Promise<string>

export interface AccountSelection {
  /** The account a call is about when it names none. */
  defaultAccount(principal: Principal): Promise<string>
  /** The account a call names in path, query or body; undefined when it names none. */
  namedAccount(input: ParsedInput): string | undefined
  requireMember(principal: Principal, accountId: string): Promise<void>
  requireBelonging(principal: Principal, accountId: string): Promise<void>
}

export function createAccountSelection(
  facts: FactsSource,
  ensurePersonalAccount: EnsurePersonalAccount,
): AccountSelection {
  async function holdingsIn(principal: Principal, accountId: string) {
    const { kind, id, homeAccountId, authType } = principal
    if (kind === 'anonymous' || id === '') return undefined
    if (authType !== 'oauth' && homeAccountId !== undefined && homeAccountId !== accountId) return undefined
    return facts.holdings(kind, id, accountId)
  }

  return {
    async defaultAccount(principal) {
      if (principal.homeAccountId !== undefined) return principal.homeAccountId
      const memberships = await facts.memberships(principal.id)
      const current = memberships.filter(({ expiresAtMs }) => expiresAtMs > facts.nowMs())
      return chooseDefault(principal.id, current) ?? ensurePersonalAccount(principal.id)
    },

    namedAccount(input) {
      const named = input.params.accountId ?? readField(input, 'account_id')
      if (named === undefined) return undefined
      if (!isUuid(named)) throw problem('not_found')
      return named.toLowerCase()
    },

    async requireMember(principal, accountId) {
      const holdings = await holdingsIn(principal, accountId)
      if (holdings && accountRoleOf(holdings, facts.nowMs())) return
      throw problem('forbidden', { say: say.noAccount })
    },

    async requireBelonging(principal, accountId) {
      const holdings = await holdingsIn(principal, accountId)
      if (holdings && hasAnyRole(holdings, facts.nowMs())) return
      throw problem('forbidden', { say: say.noAccount })
    },
  }
}

/**
 * Somebody's own account, which has their id, else the one they joined first. What others make of them elsewhere never
 * moves where a call that names no account ends up.
 */
function chooseDefault(userId: string, memberships: readonly Membership[]): string | undefined {
  const own = memberships.find(({ accountId }) => accountId === userId)
  if (own) return own.accountId
  const [first] = [...memberships].sort((a, b) => a.joinedAtMs - b.joinedAtMs || compareIds(a, b))
  return first?.accountId
}

const compareIds = (a: Membership, b: Membership) => (a.accountId < b.accountId ? -1 : 1)

/** Whether an operation that names no permission is about one account all the same. */
export function takesAccount(operation: AnyOperation): boolean {
  return fieldNames(operation.query).includes('account_id') || fieldNames(operation.body).includes('account_id')
}
