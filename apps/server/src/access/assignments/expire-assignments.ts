import { z } from 'zod'
import { systemActor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock/index.ts'
import type { Database, Tx } from '../../kernel/database/index.ts'
import { defineJob, defineSchedule } from '../../kernel/jobs/index.ts'
import { lockUnrecordedExpiries, markExpiriesRecorded } from '../store/assignments.ts'
import { type AssignmentRow, describeAssignment } from './record.ts'

const batchSize = 200

/**
 * Writes the audit event of every assignment that has expired since the last run. Each is written once: the row is
 * marked in the same transaction, and a row that another node works on is skipped.
 */
export async function recordExpiries(database: Pick<Database, 'transact'>, clock: Clock): Promise<number> {
  for (let total = 0; ; ) {
    const recorded = await database.transact(systemActor, (tx) => recordBatch(tx, clock))
    total += recorded
    if (recorded < batchSize) return total
  }
}

async function recordBatch(tx: Tx, clock: Clock): Promise<number> {
  const due = await lockUnrecordedExpiries(tx, clock.now(), batchSize)
  if (due.length === 0) return 0
  const ids = due.map((row) => row.assignmentId)
  await markExpiriesRecorded(tx, ids, clock.now())
  for (const row of due) await auditExpiry(tx, row)
  return due.length
}

/** For a row that is about to be renewed or deleted: its expiry would otherwise never be written. */
export async function recordExpiry({ clock }: { clock: Clock }, tx: Tx, row: AssignmentRow): Promise<void> {
  const isDue = row.expiresAt !== null && row.expiresAt <= clock.now() && row.expiryRecordedAt === null
  if (isDue) await auditExpiry(tx, row)
}

async function auditExpiry(tx: Tx, row: AssignmentRow): Promise<void> {
  await tx.audit({
    action: 'iam.assignment.expired',
    outcome: 'success',
    accountId: row.accountId,
    ...(row.scopeId === null ? {} : { projectId: row.scopeId }),
    resourceType: 'assignment',
    resourceId: row.assignmentId,
    before: describeAssignment(row),
  })
}

export function createExpirySchedule(database: Pick<Database, 'transact'>, clock: Clock) {
  const job = defineJob({
    name: 'access.record-expiries',
    payload: z.object({}),
    run: async () => void (await recordExpiries(database, clock)),
  })
  return { job, schedule: defineSchedule({ name: 'access.record-expiries', cron: '* * * * *', job, payload: {} }) }
}
