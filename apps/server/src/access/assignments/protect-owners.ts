import { and, eq, gt, isNull, notInArray, or, sql } from 'drizzle-orm'
import type { Clock } from '../../kernel/clock/index.ts'
import type { Drizzle, DrizzleTransaction, Tx } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'
import { assignments } from '../schema.ts'
import type { AssignmentRow } from './record.ts'

/**
 * Whoever changes the owners of an account does so alone: of two who take away the last two owners at the same time one
 * waits, looks again, and is refused. Other grants in the account go on meanwhile.
 */
export async function lockOwners(tx: Tx, accountId: string): Promise<void> {
  await tx.db.execute(sql`select from svc.accounts where account_id = ${accountId} for no key update`)
}

function isOwnerRow(row: AssignmentRow): boolean {
  return row.roleId === 'builtin:owner' && row.scopeType === 'account' && row.principalType === 'user'
}

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
  const others = await tx.db
    .select({ expiresAt: assignments.expiresAt })
    .from(assignments)
    .where(and(ownersOf(accountId, clock), notInArray(assignments.assignmentId, leavingIds)))
  const needsPermanent = owners.some((row) => row.expiresAt === null)
  if (others.some((row) => !needsPermanent || row.expiresAt === null)) return
  throw problem('last_owner')
}

export async function countOwners(db: Drizzle | DrizzleTransaction, accountId: string, clock: Clock): Promise<number> {
  return db.$count(assignments, ownersOf(accountId, clock))
}

function ownersOf(accountId: string, clock: Clock) {
  return and(
    eq(assignments.accountId, accountId),
    eq(assignments.roleId, 'builtin:owner'),
    eq(assignments.scopeType, 'account'),
    eq(assignments.principalType, 'user'),
    or(isNull(assignments.expiresAt), gt(assignments.expiresAt, clock.now())),
  )
}
