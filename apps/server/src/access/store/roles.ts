import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction, Tx } from '../../kernel/database/index.ts'
import { roles } from '../schema.ts'

export type RoleRow = typeof roles.$inferSelect

export async function findRoleRow(
  db: Drizzle | DrizzleTransaction,
  accountId: string,
  roleId: string,
): Promise<RoleRow | undefined> {
  const [row] = await db
    .select()
    .from(roles)
    .where(and(eq(roles.roleId, roleId), eq(roles.accountId, accountId)))
  return row
}

/** By key. */
export async function listRoleRows(
  db: Drizzle,
  accountId: string,
  { afterKey, limit }: { readonly afterKey: string | undefined; readonly limit: number },
): Promise<RoleRow[]> {
  const isAfter = afterKey === undefined ? undefined : gt(roles.key, afterKey)
  return db
    .select()
    .from(roles)
    .where(and(eq(roles.accountId, accountId), isAfter))
    .orderBy(asc(roles.key))
    .limit(limit)
}

/** Undefined when the account has a role with this key already. */
export async function insertRole(tx: Tx, role: Omit<RoleRow, 'createdAt' | 'updatedAt'>): Promise<RoleRow | undefined> {
  const [row] = await tx.db.insert(roles).values(role).onConflictDoNothing().returning()
  return row
}

/** What is undefined stays as it is. */
export async function updateRoleRow(
  tx: Tx,
  roleId: string,
  { name, description }: { name?: string | undefined; description?: string | null | undefined },
): Promise<RoleRow | undefined> {
  const [row] = await tx.db
    .update(roles)
    .set({ name, description, updatedAt: sql`now()` })
    .where(eq(roles.roleId, roleId))
    .returning()
  return row
}

export async function updateRoleActions(tx: Tx, roleId: string, actions: string[]): Promise<void> {
  await tx.db.update(roles).set({ actions, updatedAt: sql`now()` }).where(eq(roles.roleId, roleId))
}

export async function deleteRoleRow(tx: Tx, roleId: string): Promise<void> {
  await tx.db.delete(roles).where(eq(roles.roleId, roleId))
}
