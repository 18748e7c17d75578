import { and, eq, gt } from 'drizzle-orm'
import { newId } from '../../kernel/ids/index.ts'
import { provisionAttempts } from '../schema.ts'
import type { Db } from './projects.ts'

export type Claim =
  | {
      readonly kind: 'mine'
      readonly attemptId: string
      readonly projectId: string
      /** What an attempt that was cut off may have left. */
      readonly abandonedProjectId: string | undefined
    }
  | { readonly kind: 'in_flight' }
  | { readonly kind: 'finished'; readonly projectId: string }

interface ClaimInput {
  readonly accountId: string
  readonly key: string | undefined
  readonly home: string
  readonly now: Date
  readonly leaseMs: number
}

/** One attempt per account and key; the store's unique index decides who has it. */
export async function claimAttempt(db: Db, { accountId, key, home, now, leaseMs }: ClaimInput): Promise<Claim> {
  const fresh = {
    attemptId: newId(),
    projectId: newId(),
    home,
    leasedUntil: new Date(now.getTime() + leaseMs),
    createdAt: now,
  }
  const [added] = await db
    .insert(provisionAttempts)
    .values({ ...fresh, accountId, idempotencyKey: key ?? null })
    .onConflictDoNothing()
    .returning()
  if (added) return { kind: 'mine', ...pick(added), abandonedProjectId: undefined }
  const known = key === undefined ? undefined : await findAttempt(db, accountId, key)
  if (known?.status === 'finished') return { kind: 'finished', projectId: known.projectId }
  if (!known || known.leasedUntil > now) return { kind: 'in_flight' }
  const [taken] = await db
    .update(provisionAttempts)
    .set(fresh)
    .where(and(eq(provisionAttempts.attemptId, known.attemptId), eq(provisionAttempts.status, 'running')))
    .returning()
  return taken ? { kind: 'mine', ...pick(taken), abandonedProjectId: known.projectId } : { kind: 'in_flight' }
}

export async function findAttempt(db: Db, accountId: string, key: string) {
  const [row] = await db
    .select()
    .from(provisionAttempts)
    .where(and(eq(provisionAttempts.accountId, accountId), eq(provisionAttempts.idempotencyKey, key)))
  return row
}

/** False when somebody else has taken the attempt over. One without a key is not needed any more. */
export async function finishAttempt(db: Db, attemptId: string, hasKey: boolean): Promise<boolean> {
  const mine = and(eq(provisionAttempts.attemptId, attemptId), eq(provisionAttempts.status, 'running'))
  const rows = hasKey
    ? await db.update(provisionAttempts).set({ status: 'finished' }).where(mine).returning()
    : await db.delete(provisionAttempts).where(mine).returning()
  return rows.length === 1
}

export async function dropAttempt(db: Db, attemptId: string): Promise<void> {
  await db
    .delete(provisionAttempts)
    .where(and(eq(provisionAttempts.attemptId, attemptId), eq(provisionAttempts.status, 'running')))
}

/** Attempts of this data directory that did not finish. At start nobody works on them any more. */
export async function listUnfinished(db: Db, home: string): Promise<{ attemptId: string; projectId: string }[]> {
  return db
    .select({ attemptId: provisionAttempts.attemptId, projectId: provisionAttempts.projectId })
    .from(provisionAttempts)
    .where(and(eq(provisionAttempts.home, home), eq(provisionAttempts.status, 'running')))
}

/** Whether somebody, here or on another server, is making this project now. */
export async function isAttemptRunning(db: Db, projectId: string, now: Date): Promise<boolean> {
  const [row] = await db
    .select({ attemptId: provisionAttempts.attemptId })
    .from(provisionAttempts)
    .where(
      and(
        eq(provisionAttempts.projectId, projectId),
        eq(provisionAttempts.status, 'running'),
        gt(provisionAttempts.leasedUntil, now),
      ),
    )
  return row !== undefined
}

function pick({ attemptId, projectId }: typeof provisionAttempts.$inferSelect) {
  return { attemptId, projectId }
}
