import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import { sandboxChoices, sandboxTransitions } from '../schema.ts'
import type { Db } from './templates.ts'

export type TransitionRow = typeof sandboxTransitions.$inferSelect
export type NewTransition = typeof sandboxTransitions.$inferInsert

const unfinished = ['pending', 'building', 'ready', 'activating'] as const

export async function findSelectedProvider(db: Db, projectId: string): Promise<string | null> {
  const [row] = await db
    .select({ provider: sandboxChoices.selectedProvider })
    .from(sandboxChoices)
    .where(eq(sandboxChoices.projectId, projectId))
  return row?.provider ?? null
}

/** Held until the transaction ends: of two changes at once, one comes after the other. */
export async function lockChoice(
  db: Db,
  projectId: string,
  accountId: string,
): Promise<{ selectedProvider: string | null; generation: number }> {
  await db.insert(sandboxChoices).values({ projectId, accountId }).onConflictDoNothing()
  const [row] = await db.select().from(sandboxChoices).where(eq(sandboxChoices.projectId, projectId)).for('update')
  if (!row) throw new Error('the choice of a provider was not written')
  return row
}

export async function changeChoice(
  db: Db,
  projectId: string,
  change: { selectedProvider?: string | null; generation?: number },
): Promise<void> {
  await db
    .update(sandboxChoices)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(sandboxChoices.projectId, projectId))
}

export async function addTransition(db: Db, row: NewTransition): Promise<TransitionRow> {
  const [added] = await db.insert(sandboxTransitions).values(row).returning()
  if (!added) throw new Error('the transition was not written')
  return added
}

/** Ends every unfinished transition before this generation. */
export async function supersedeTransitions(db: Db, projectId: string, generation: number): Promise<void> {
  await db
    .update(sandboxTransitions)
    .set({ status: 'superseded', updatedAt: sql`now()` })
    .where(
      and(
        eq(sandboxTransitions.projectId, projectId),
        lt(sandboxTransitions.generation, generation),
        inArray(sandboxTransitions.status, [...unfinished]),
      ),
    )
}

export async function findTransition(db: Db, transitionId: string): Promise<TransitionRow | undefined> {
  const [row] = await db.select().from(sandboxTransitions).where(eq(sandboxTransitions.transitionId, transitionId))
  return row
}

/** Moves on only what is unfinished, so that a superseded transition never comes back to life. */
export async function moveTransition(
  db: Db,
  transitionId: string,
  change: Partial<NewTransition>,
): Promise<TransitionRow | undefined> {
  const [row] = await db
    .update(sandboxTransitions)
    .set({ ...change, updatedAt: sql`now()` })
    .where(and(eq(sandboxTransitions.transitionId, transitionId), inArray(sandboxTransitions.status, [...unfinished])))
    .returning()
  return row
}

/** Newest first. */
export async function listTransitions(db: Db, projectId: string, limit: number): Promise<TransitionRow[]> {
  return db
    .select()
    .from(sandboxTransitions)
    .where(eq(sandboxTransitions.projectId, projectId))
    .orderBy(desc(sandboxTransitions.generation))
    .limit(limit)
}

export async function findSelectedProviders(db: Db, projectIds: readonly string[]): Promise<Map<string, string>> {
  if (projectIds.length === 0) return new Map()
  const rows = await db
    .select({ projectId: sandboxChoices.projectId, provider: sandboxChoices.selectedProvider })
    .from(sandboxChoices)
    .where(inArray(sandboxChoices.projectId, [...projectIds]))
  return new Map(rows.flatMap(({ projectId, provider }) => (provider === null ? [] : [[projectId, provider] as const])))
}
