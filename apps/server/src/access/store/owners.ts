import { and, eq, gt, isNull, notInArray, or, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction, Tx } from '../../kernel/database/index.ts'
import { assignments } from '../schema.ts'

/**
 * Whoever changes the owners of an account does so alone: of two who take away the last two owners at the same time one
 * waits, looks again, and is refused. Other grants in the account go on meanwhile.
 */
export async function lockOwners(tx: Tx, accountId: string): Promise<void> {
  await tx.db.execute(sql`select from svc.accounts where account_id = ${accountId} for no key update`)
}

/** When each current owner's assignment expires, leaving these assignments out. Null: never. */
export async function listOtherOwnerExpiries(
  tx: Tx,
  accountId: string,
  leavingIds: readonly string[],
  now: Date,
): Promise<(Date | null)[]> {
  const rows = await tx.db
    .select({ expiresAt: assignments.expiresAt })
    .from(assignments)
    .where(and(ownersOf(accountId, now), notInArray(assignments.assignmentId, [...leavingIds])))
  return rows.map((row) => row.expiresAt)
}

export async function countOwners(db: Drizzle | DrizzleTransaction, accountId: string, now: Date): Promise<number> {
  return db.$count(assignments, ownersOf(accountId, now))
}

function ownersOf(accountId: string, now: Date) {
  return and(
    eq(assignments.accountId, accountId),
    eq(assignments.roleId, 'builtin:owner'),
    eq(assignments.scopeType, 'account'),
    eq(assignments.principalType, 'user'),
    or(isNull(assignments.expiresAt), gt(assignments.expiresAt, now)),
  )
}
