import type { Clock } from '../../kernel/clock/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'
import { listOtherOwnerExpiries, lockOwners } from '../store/owners.ts'
import type { AssignmentRow } from './record.ts'

/**
 * Refuses when these rows are the account's last owners. An owner for ever can only be replaced by another one for ever:
 * an account must not lose its last owner to the clock.
 */
export async function requireOtherOwner(
  tx: Tx,
  accountId: string,
  leaving: readonly AssignmentRow[],
  clock: Clock,
): Promise<void> {
  const now = clock.now()
  const owners = leaving.filter((row) => isOwnerRow(row) && (row.expiresAt === null || row.expiresAt > now))
  if (owners.length === 0) return
  await lockOwners(tx, accountId)
  const leavingIds = owners.map((row) => row.assignmentId)
  const others = await listOtherOwnerExpiries(tx, accountId, leavingIds, clock.now())
  const needsPermanent = owners.some((row) => row.expiresAt === null)
  if (others.some((expiresAt) => !needsPermanent || expiresAt === null)) return
  throw problem('last_owner')
}

function isOwnerRow(row: AssignmentRow): boolean {
  return row.roleId === 'builtin:owner' && row.scopeType === 'account' && row.principalType === 'user'
}
