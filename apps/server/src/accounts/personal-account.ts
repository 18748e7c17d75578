import type { Actor } from '../kernel/actor.ts'
import type { Tx } from '../kernel/database/index.ts'
import { newId } from '../kernel/ids/index.ts'
import { claimInvites } from './invites/claim-invites.ts'
import type { Parts } from './parts.ts'
import { addAccount, findFirstAccount, lockPerson } from './store/accounts.ts'

/**
 * The account of somebody who belongs to none, made on first use. Open invitations to their address count first. However
 * many calls arrive at once, one account is made.
 */
export async function ensurePersonalAccount(parts: Parts, userId: string, actor: Actor): Promise<string> {
  await claimInvites(parts, userId, actor)
  return parts.kernel.database.transact(actor, async (tx) => {
    const person = await lockPerson(tx, userId)
    if (!person) throw new Error('a person who is signed in is not in the store')
    const present = await findFirstAccount(tx, userId, parts.kernel.clock.now())
    if (present !== undefined) return present
    const accountId = await addPersonalAccount(tx, userId, `${person.email}'s Account`)
    await parts.access.setAccountRole(tx, { accountId, userId, role: 'owner', source: 'system' })
    await tx.audit({
      action: 'account.create',
      outcome: 'success',
      accountId,
      resourceType: 'account',
      resourceId: accountId,
      metadata: { personal: true },
    })
    return accountId
  })
}

/** The personal account has its person's id. Whoever gave that one away gets another, never the old one back. */
async function addPersonalAccount(tx: Tx, userId: string, name: string): Promise<string> {
  const shortened = name.slice(0, 255)
  const own = await addAccount(tx.db, userId, shortened)
  const row = own ?? (await addAccount(tx.db, newId(), shortened))
  if (!row) throw new Error('a new id was taken')
  return row.accountId
}
