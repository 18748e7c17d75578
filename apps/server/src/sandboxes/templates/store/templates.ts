import { and, asc, count, eq, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../../../kernel/database/index.ts'
import { sandboxTemplates } from '../schema.ts'

export type Db = Drizzle | DrizzleTransaction
export type TemplateRow = typeof sandboxTemplates.$inferSelect
export type NewTemplate = typeof sandboxTemplates.$inferInsert

export async function listTemplateRows(db: Db, projectId: string): Promise<TemplateRow[]> {
  return db
    .select()
    .from(sandboxTemplates)
    .where(eq(sandboxTemplates.projectId, projectId))
    .orderBy(asc(sandboxTemplates.slug))
}

export async function findTemplateRow(db: Db, projectId: string, templateId: string): Promise<TemplateRow | undefined> {
  const [row] = await db
    .select()
    .from(sandboxTemplates)
    .where(and(eq(sandboxTemplates.projectId, projectId), eq(sandboxTemplates.templateId, templateId)))
  return row
}

export async function countTemplateRows(db: Db, projectId: string): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(sandboxTemplates)
    .where(eq(sandboxTemplates.projectId, projectId))
  return row?.count ?? 0
}

/** Undefined when the slug is taken. */
export async function addTemplateRow(db: Db, row: NewTemplate): Promise<TemplateRow | undefined> {
  const [added] = await db.insert(sandboxTemplates).values(row).onConflictDoNothing().returning()
  return added
}

export async function changeTemplateRow(
  db: Db,
  templateId: string,
  change: Partial<NewTemplate>,
): Promise<TemplateRow | undefined> {
  const [row] = await db
    .update(sandboxTemplates)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(sandboxTemplates.templateId, templateId))
    .returning()
  return row
}

export async function removeTemplateRow(db: Db, projectId: string, templateId: string): Promise<boolean> {
  const removed = await db
    .delete(sandboxTemplates)
    .where(and(eq(sandboxTemplates.projectId, projectId), eq(sandboxTemplates.templateId, templateId)))
    .returning({ id: sandboxTemplates.templateId })
  return removed.length > 0
}
