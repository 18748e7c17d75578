import { and, desc, eq } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../kernel/database/index.ts'
import type { Budget } from './resolve.ts'
import { accountModels, modelBudgets, modelCalls, projectModels } from './schema.ts'

export type Db = Drizzle | DrizzleTransaction
export type ProjectModelsRow = typeof projectModels.$inferSelect
export type CallRow = typeof modelCalls.$inferSelect
export type BudgetRow = typeof modelBudgets.$inferSelect

export async function readProjectModels(db: Db, projectId: string): Promise<ProjectModelsRow | undefined> {
  const [row] = await db.select().from(projectModels).where(eq(projectModels.projectId, projectId))
  return row
}

/** The project's row, made when it is not there yet, and nobody else's until the transaction ends. */
export async function lockProjectModels(db: DrizzleTransaction, projectId: string): Promise<ProjectModelsRow> {
  await db.insert(projectModels).values({ projectId }).onConflictDoNothing()
  const [row] = await db.select().from(projectModels).where(eq(projectModels.projectId, projectId)).for('update')
  if (!row) throw new Error('the row of a project’s models was not written')
  return row
}

export async function changeProjectModels(
  db: Db,
  projectId: string,
  change: Partial<typeof projectModels.$inferInsert>,
): Promise<void> {
  await db
    .update(projectModels)
    .set({ ...change, updatedAt: new Date() })
    .where(eq(projectModels.projectId, projectId))
}

export async function readAccountDefault(db: Db, accountId: string): Promise<string | null> {
  const [row] = await db.select().from(accountModels).where(eq(accountModels.accountId, accountId))
  return row?.defaultModel ?? null
}

export async function setAccountDefault(db: Db, accountId: string, defaultModel: string | null): Promise<void> {
  await db
    .insert(accountModels)
    .values({ accountId, defaultModel })
    .onConflictDoUpdate({ target: accountModels.accountId, set: { defaultModel, updatedAt: new Date() } })
}

export async function listBudgets(db: Db, projectId: string): Promise<Budget[]> {
  return db
    .select()
    .from(modelBudgets)
    .where(eq(modelBudgets.projectId, projectId))
    .orderBy(modelBudgets.budgetId)
    .limit(1_000)
}

export async function deleteBudget(db: Db, projectId: string, budgetId: string): Promise<boolean> {
  const gone = await db
    .delete(modelBudgets)
    .where(and(eq(modelBudgets.projectId, projectId), eq(modelBudgets.budgetId, budgetId)))
    .returning()
  return gone.length > 0
}

export async function putBudget(db: Db, row: typeof modelBudgets.$inferInsert): Promise<BudgetRow> {
  const { limitMicros, period, action } = row
  const [written] = await db
    .insert(modelBudgets)
    .values(row)
    .onConflictDoUpdate({
      target: [modelBudgets.projectId, modelBudgets.scope, modelBudgets.subject],
      set: { limitMicros, period, action, updatedAt: new Date() },
    })
    .returning()
  if (!written) throw new Error('the budget was not written')
  return written
}

export async function listCalls(
  db: Db,
  { projectId, ok, limit, offset }: { projectId: string; ok: boolean | undefined; limit: number; offset: number },
): Promise<CallRow[]> {
  const only = ok === undefined ? undefined : eq(modelCalls.ok, ok)
  return db
    .select()
    .from(modelCalls)
    .where(and(eq(modelCalls.projectId, projectId), only))
    .orderBy(desc(modelCalls.callId))
    .limit(limit)
    .offset(offset)
}

export async function findCall(db: Db, projectId: string, by: { callId: string } | { requestId: string }) {
  const match = 'callId' in by ? eq(modelCalls.callId, by.callId) : eq(modelCalls.requestId, by.requestId)
  const [row] = await db
    .select()
    .from(modelCalls)
    .where(and(eq(modelCalls.projectId, projectId), match))
    .orderBy(desc(modelCalls.callId))
    .limit(1)
  return row
}

/** The newest calls of a session, for its cost in detail. */
export async function listSessionCalls(db: Db, sessionId: string, limit: number): Promise<CallRow[]> {
  return db
    .select()
    .from(modelCalls)
    .where(eq(modelCalls.sessionId, sessionId))
    .orderBy(desc(modelCalls.callId))
    .limit(limit)
}
