import { and, desc, eq, lt } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../../kernel/database/index.ts'
import { oauthClients } from '../schema.ts'

export type ClientRow = typeof oauthClients.$inferSelect
export type ClientChange = Partial<
  Pick<ClientRow, 'name' | 'description' | 'redirectUris' | 'scopes' | 'active' | 'secretHash'>
>

const { clientId, accountId } = oauthClients

export async function findClient(db: Drizzle, id: string): Promise<ClientRow | undefined> {
  const [row] = await db.select().from(oauthClients).where(eq(clientId, id))
  return row
}

/** Only a client of this account: another account's answers like one that does not exist. */
export async function findAccountClient(db: Drizzle, account: string, id: string): Promise<ClientRow | undefined> {
  const [row] = await db
    .select()
    .from(oauthClients)
    .where(and(eq(clientId, id), eq(accountId, account)))
  return row
}

/** Locked, so that two changes follow each other. */
export async function lockAccountClient(
  db: DrizzleTransaction,
  account: string,
  id: string,
): Promise<ClientRow | undefined> {
  const [row] = await db
    .select()
    .from(oauthClients)
    .where(and(eq(clientId, id), eq(accountId, account)))
    .for('update')
  return row
}

/** Newest first: ids sort in the order they were made. */
export function listClientRows(db: Drizzle, account: string, before: string | undefined, limit: number) {
  return db
    .select()
    .from(oauthClients)
    .where(and(eq(accountId, account), before === undefined ? undefined : lt(clientId, before)))
    .orderBy(desc(clientId))
    .limit(limit)
}

export async function addClient(db: DrizzleTransaction, client: typeof oauthClients.$inferInsert): Promise<ClientRow> {
  const [row] = await db.insert(oauthClients).values(client).returning()
  if (!row) throw new Error('the new OAuth client was not written')
  return row
}

export async function changeClient(
  db: DrizzleTransaction,
  id: string,
  change: ClientChange,
  now: Date,
): Promise<ClientRow> {
  const [row] = await db
    .update(oauthClients)
    .set({ ...change, updatedAt: now })
    .where(eq(clientId, id))
    .returning()
  if (!row) throw new Error(`the OAuth client ${id} is gone`)
  return row
}

/** Requests, codes, grants, tokens and consents go with it. */
export async function removeClient(db: DrizzleTransaction, id: string): Promise<void> {
  await db.delete(oauthClients).where(eq(clientId, id))
}
