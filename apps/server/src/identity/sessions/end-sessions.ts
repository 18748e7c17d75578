import type { Tx } from '../../kernel/database/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import { endSessionRows, type SessionFilter } from './store.ts'

/** Ends sessions with all their tokens; within a second no node accepts one of them. */
export async function endSessions(parts: Parts, tx: Tx, filter: SessionFilter, reason: string): Promise<string[]> {
  const ended = await endSessionRows(tx.db, filter, reason, parts.kernel.clock.now())
  await parts.revocations.announce(tx, ended)
  return ended
}

export async function signOut(parts: Parts, principal: Principal, scope: 'global' | 'local' | 'others'): Promise<void> {
  const { id: userId, credentialId: sessionId = '' } = principal
  await parts.kernel.database.transact(principal.actor, async (tx) => {
    const filter =
      scope === 'global' ? { userId } : scope === 'local' ? { userId, only: sessionId } : { userId, except: sessionId }
    const ended = await endSessions(parts, tx, filter, 'sign_out')
    await tx.audit({
      action: 'auth.logout',
      outcome: 'success',
      resourceType: 'sign_in_session',
      resourceId: sessionId,
      metadata: { scope, ended: ended.length },
    })
  })
}
