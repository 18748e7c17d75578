import { answer, problem } from '../../kernel/http/index.ts'
import type { Pair } from './pair.ts'

export interface Issued {
  readonly pair: Pair
  readonly accessExpiresAt: Date
  readonly scopes: readonly string[]
}

export function showIssued({ pair, accessExpiresAt, scopes }: Issued, now: Date) {
  const leftMs = accessExpiresAt.getTime() - now.getTime()
  const tokens = {
    access_token: pair.access,
    refresh_token: pair.refresh,
    token_type: 'Bearer' as const,
    expires_in: Math.max(0, Math.round(leftMs / 1_000)),
    scope: scopes.join(' '),
  }
  return answer(tokens, { headers: { 'cache-control': 'no-store', pragma: 'no-cache' } })
}

/** One answer for every reason, so that nobody learns which tokens and codes there were. */
export function refuseGrant() {
  return problem('invalid_grant')
}
