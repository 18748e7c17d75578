import type { operations, ResultOf } from '@svc/contract'
import { problem } from '../kernel/http/index.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Parts } from './parts.ts'

/** Who approved the access token. Other credentials carry no scope at all, so they are refused alike. */
export async function readUserinfo(
  parts: Parts,
  principal: Principal,
): Promise<ResultOf<typeof operations.oauth.userinfo>> {
  const { id, email = '', scopes = [] } = principal
  if (!scopes.includes('profile') && !scopes.includes('email')) {
    throw problem('insufficient_scope', {
      say: 'This needs an OAuth access token with the scope profile or email.',
      extras: { required_scope: 'profile' },
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="profile"' },
    })
  }
  return { sub: id, user_id: id, account_id: await parts.defaultAccount(principal), email }
}
