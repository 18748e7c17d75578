import type { Actor } from '../kernel/actor.ts'
import type { Principal } from '../kernel/principal.ts'
import { claimInvites } from './invites/claim-invites.ts'
import type { Parts } from './parts.ts'
import { ensurePersonalAccount } from './personal-account.ts'

/**
 * The memberships a credential shows, in the order of accounts. A key belongs to one account and shows only that; a
 * person at the first look gets what waits for them.
 */
export async function listOwnMemberships(parts: Parts, principal: Principal, actor: Actor) {
  const { kind, id, homeAccountId, authType } = principal
  if (kind !== 'user') return []
  if (homeAccountId !== undefined && authType !== 'oauth') {
    return (await parts.access.listMemberships(id)).filter(({ accountId }) => accountId === homeAccountId)
  }
  await claimInvites(parts, id, actor)
  const memberships = await parts.access.listMemberships(id)
  if (memberships.length > 0) return memberships
  await ensurePersonalAccount(parts, id, actor)
  return parts.access.listMemberships(id)
}
