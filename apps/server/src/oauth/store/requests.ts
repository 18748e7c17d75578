import { and, eq, gt } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../../kernel/database/index.ts'
import { oauthClients, oauthCodes, oauthConsents, oauthRequests } from '../schema.ts'
import type { ClientRow } from './clients.ts'

export type RequestRow = typeof oauthRequests.$inferSelect
export type NewCode = typeof oauthCodes.$inferInsert

export async function addRequest(db: Drizzle, request: RequestRow): Promise<void> {
  await db.insert(oauthRequests).values(request)
}

export interface OpenRequest {
  readonly request: RequestRow
  readonly client: ClientRow
}

/** A request that has neither expired nor lost its client. */
export async function findOpenRequest(db: Drizzle, requestId: string, now: Date): Promise<OpenRequest | undefined> {
  const [row] = await db
    .select({ request: oauthRequests, client: oauthClients })
    .from(oauthRequests)
    .innerJoin(oauthClients, eq(oauthClients.clientId, oauthRequests.clientId))
    .where(and(eq(oauthRequests.requestId, requestId), gt(oauthRequests.expiresAt, now)))
  return row
}

/** The first who decides gets it; for everybody after it is gone. */
export async function takeRequest(
  db: DrizzleTransaction,
  requestId: string,
  now: Date,
): Promise<OpenRequest | undefined> {
  const [request] = await db
    .delete(oauthRequests)
    .where(and(eq(oauthRequests.requestId, requestId), gt(oauthRequests.expiresAt, now)))
    .returning()
  if (!request) return undefined
  const [client] = await db.select().from(oauthClients).where(eq(oauthClients.clientId, request.clientId))
  return client && { request, client }
}

export async function findConsent(db: Drizzle | DrizzleTransaction, clientId: string, userId: string) {
  const [row] = await db
    .select({ scopes: oauthConsents.scopes })
    .from(oauthConsents)
    .where(and(eq(oauthConsents.clientId, clientId), eq(oauthConsents.userId, userId)))
  return row?.scopes ?? []
}

export async function putConsent(db: DrizzleTransaction, consent: typeof oauthConsents.$inferInsert): Promise<void> {
  const { scopes, updatedAt } = consent
  await db
    .insert(oauthConsents)
    .values(consent)
    .onConflictDoUpdate({ target: [oauthConsents.clientId, oauthConsents.userId], set: { scopes, updatedAt } })
}

export async function addCode(db: DrizzleTransaction, code: NewCode): Promise<void> {
  await db.insert(oauthCodes).values(code)
}
