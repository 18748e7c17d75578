import { and, asc, desc, eq, gt, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Drizzle, Tx } from '../../kernel/database/index.ts'
import { serviceAccounts } from '../schema.ts'

export type ServiceAccountRow = typeof serviceAccounts.$inferSelect
export type NewServiceAccount = typeof serviceAccounts.$inferInsert

export interface ListedServiceAccount {
  readonly row: ServiceAccountRow
  /** With the microseconds that a Date loses, for the cursor. */
  readonly createdAtText: string
}

/** Newest first, without the identities of agents. `after` is the `createdAtText` and id of the row before the page. */
export async function listOrdinaryRows(
  db: Drizzle,
  accountId: string,
  { after, limit }: { readonly after: readonly string[] | undefined; readonly limit: number },
): Promise<ListedServiceAccount[]> {
  const { serviceAccountId, createdAt } = serviceAccounts
  return db
    .select({ row: serviceAccounts, createdAtText: sql<string>`${createdAt}::text` })
    .from(serviceAccounts)
    .where(
      and(
        eq(serviceAccounts.accountId, accountId),
        isNull(serviceAccounts.projectId),
        after && sql`(${createdAt}, ${serviceAccountId}) < (${after[0]}::text::timestamptz, ${after[1]}::text::uuid)`,
      ),
    )
    .orderBy(desc(createdAt), desc(serviceAccountId))
    .limit(limit)
}

/** Those of agents, by id. */
export async function listAgentRows(
  db: Drizzle,
  accountId: string,
  { afterId, limit }: { readonly afterId: string | undefined; readonly limit: number },
): Promise<ServiceAccountRow[]> {
  const { serviceAccountId, projectId } = serviceAccounts
  return db
    .select()
    .from(serviceAccounts)
    .where(
      and(
        eq(serviceAccounts.accountId, accountId),
        isNotNull(projectId),
        afterId === undefined ? undefined : gt(serviceAccountId, afterId),
      ),
    )
    .orderBy(asc(serviceAccountId))
    .limit(limit)
}

/** Undefined when there is one already: of this name in the account, or of this agent in the project. */
export async function insertServiceAccount(tx: Tx, values: NewServiceAccount): Promise<ServiceAccountRow | undefined> {
  const [row] = await tx.db.insert(serviceAccounts).values(values).onConflictDoNothing().returning()
  return row
}

export async function findAgentServiceAccountId(
  tx: Tx,
  { projectId, agentName }: { readonly projectId: string; readonly agentName: string },
): Promise<string | undefined> {
  const [row] = await tx.db
    .select({ id: serviceAccounts.serviceAccountId })
    .from(serviceAccounts)
    .where(and(eq(serviceAccounts.projectId, projectId), eq(serviceAccounts.agentName, agentName)))
  return row?.id
}

/** Nobody else changes it until the transaction ends. */
export async function lockServiceAccount(
  tx: Tx,
  accountId: string,
  serviceAccountId: string,
): Promise<ServiceAccountRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(serviceAccounts)
    .where(and(eq(serviceAccounts.serviceAccountId, serviceAccountId), eq(serviceAccounts.accountId, accountId)))
    .for('update')
  return row
}

export async function markDisabled(tx: Tx, serviceAccountId: string, now: Date): Promise<void> {
  await tx.db
    .update(serviceAccounts)
    .set({ status: 'disabled', disabledAt: now })
    .where(eq(serviceAccounts.serviceAccountId, serviceAccountId))
}

export async function deleteServiceAccountRow(tx: Tx, serviceAccountId: string): Promise<void> {
  await tx.db.delete(serviceAccounts).where(eq(serviceAccounts.serviceAccountId, serviceAccountId))
}
