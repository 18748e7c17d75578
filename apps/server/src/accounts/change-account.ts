import type { Actor } from '../kernel/actor.ts'
import { problem } from '../kernel/http/index.ts'
import { newId } from '../kernel/ids/index.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Parts } from './parts.ts'
import { addAccount, lockAccount, renameAccount } from './store/accounts.ts'

/** The caller owns it. */
export async function createAccount({ kernel, access, identity }: Parts, name: string, principal: Principal) {
  const { accountCreation } = await identity.settings.read()
  if (accountCreation === 'operators' && !principal.isOperator) throw problem('account_creation_restricted')
  return kernel.database.transact(principal.actor, async (tx) => {
    const row = await addAccount(tx.db, newId(), name)
    if (!row) throw new Error('a new id was taken')
    const { accountId } = row
    await access.setAccountRole(tx, { accountId, userId: principal.id, role: 'owner', source: 'system' })
    await tx.audit({
      action: 'account.create',
      outcome: 'success',
      accountId,
      resourceType: 'account',
      resourceId: accountId,
      after: { name },
    })
    return row
  })
}

export async function updateName({ kernel }: Parts, accountId: string, name: string, actor: Actor) {
  return kernel.database.transact(actor, async (tx) => {
    const before = await lockAccount(tx, accountId)
    const row = await renameAccount(tx, accountId, name, kernel.clock.now())
    if (!row || !before) throw problem('not_found')
    await tx.audit({
      action: 'account.update',
      outcome: 'success',
      accountId,
      resourceType: 'account',
      resourceId: accountId,
      before: { name: before.name },
      after: { name },
    })
    return row
  })
}
