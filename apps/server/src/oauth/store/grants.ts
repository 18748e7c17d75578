import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction, Sql } from '../../kernel/database/index.ts'
import { oauthCodes, oauthConsents, oauthGrants, oauthRequests, oauthTokens } from '../schema.ts'

export type CodeRow = typeof oauthCodes.$inferSelect
export type GrantRow = typeof oauthGrants.$inferSelect
export type PairRow = typeof oauthTokens.$inferSelect

/** Locked: whoever comes with the same code at the same time waits and then finds it spent. */
export async function lockCode(db: DrizzleTransaction, codeHash: string): Promise<CodeRow | undefined> {
  const [row] = await db.select().from(oauthCodes).where(eq(oauthCodes.codeHash, codeHash)).for('update')
  return row
}

export async function spendCode(
  db: DrizzleTransaction,
  codeHash: string,
  spent: { spentAt: Date; grantId: string | null },
): Promise<void> {
  await db.update(oauthCodes).set(spent).where(eq(oauthCodes.codeHash, codeHash))
}

export async function addGrant(db: DrizzleTransaction, grant: typeof oauthGrants.$inferInsert): Promise<GrantRow> {
  const [row] = await db.insert(oauthGrants).values(grant).returning()
  if (!row) throw new Error('the new OAuth grant was not written')
  return row
}

export async function addPair(db: DrizzleTransaction, pair: typeof oauthTokens.$inferInsert): Promise<void> {
  await db.insert(oauthTokens).values(pair)
}

/** By either token of the pair. */
export async function findPair(db: DrizzleTransaction, tokenHash: string): Promise<PairRow | undefined> {
  const [row] = await db
    .select()
    .from(oauthTokens)
    .where(or(eq(oauthTokens.refreshHash, tokenHash), eq(oauthTokens.accessHash, tokenHash)))
  return row
}

export async function findPairByRefresh(db: DrizzleTransaction, refreshHash: string): Promise<PairRow | undefined> {
  const [row] = await db.select().from(oauthTokens).where(eq(oauthTokens.refreshHash, refreshHash))
  return row
}

/** A grant that has not ended, locked: everything that changes its tokens happens one after the other. */
export async function lockGrant(db: DrizzleTransaction, grantId: string): Promise<GrantRow | undefined> {
  const [row] = await db
    .select()
    .from(oauthGrants)
    .where(and(eq(oauthGrants.grantId, grantId), isNull(oauthGrants.revokedAt)))
    .for('update')
  return row
}

export async function spendPair(
  db: DrizzleTransaction,
  tokenId: string,
  spent: { spentAt: Date; successorNonce: string; accessExpiresAt: Date },
): Promise<void> {
  await db.update(oauthTokens).set(spent).where(eq(oauthTokens.tokenId, tokenId))
}

export async function endGrant(
  db: DrizzleTransaction,
  grantId: string,
  end: { revokedAt: Date; revokeReason: string },
): Promise<void> {
  await db.update(oauthGrants).set(end).where(eq(oauthGrants.grantId, grantId))
}

export async function listLiveGrants(db: DrizzleTransaction, userId: string): Promise<string[]> {
  const rows = await db
    .select({ grantId: oauthGrants.grantId })
    .from(oauthGrants)
    .where(and(eq(oauthGrants.userId, userId), isNull(oauthGrants.revokedAt)))
    .orderBy(oauthGrants.grantId)
  return rows.map(({ grantId }) => grantId)
}

/** Consents and codes that nobody exchanged yet. Whoever exchanges one at this moment is waited for. */
export async function forgetUser(db: DrizzleTransaction, userId: string): Promise<void> {
  await db.delete(oauthCodes).where(and(eq(oauthCodes.userId, userId), isNull(oauthCodes.spentAt)))
  await db.delete(oauthConsents).where(eq(oauthConsents.userId, userId))
}

/** The ids of access tokens that some node may still hold in its memory. */
export async function listLiveTokenIds(
  db: DrizzleTransaction,
  of: { grantId: string } | { clientId: string },
  now: Date,
): Promise<string[]> {
  const rows = await db
    .select({ tokenId: oauthTokens.tokenId })
    .from(oauthTokens)
    .innerJoin(oauthGrants, eq(oauthGrants.grantId, oauthTokens.grantId))
    .where(
      and(
        'grantId' in of ? eq(oauthGrants.grantId, of.grantId) : eq(oauthGrants.clientId, of.clientId),
        gt(oauthTokens.accessExpiresAt, now),
      ),
    )
  return rows.map(({ tokenId }) => tokenId)
}

export interface LiveAccessToken {
  readonly tokenId: string
  readonly userId: string
  readonly email: string
  readonly isOperator: boolean
  readonly scopes: string[]
  readonly expiresAt: Date
}

/**
 * An access token of a grant that stands and a client that is switched on. Its scopes are those that the client still
 * has. Asked for nearly every request of an app, so it is one prepared statement.
 */
export async function findLiveAccessToken(sql: Sql, accessHash: string): Promise<LiveAccessToken | undefined> {
  const [row] = await sql<LiveAccessToken[]>`
    select token.token_id as "tokenId", person.user_id as "userId", person.email, person.is_operator as "isOperator",
      array(select unnest(approved.scopes) intersect select unnest(client.scopes)) as scopes,
      token.access_expires_at as "expiresAt"
    from svc.oauth_tokens as token
    join svc.oauth_grants as approved using (grant_id)
    join svc.oauth_clients as client using (client_id)
    join svc.users as person using (user_id)
    where token.access_hash = ${accessHash} and approved.revoked_at is null and client.active`
  return row
}

const keepEndedMs = 30 * 24 * 3_600_000

/** Nothing depends on it but the size of the tables: what it removes no longer opens anything. */
export async function cleanOAuth(db: Drizzle, now: Date): Promise<void> {
  await db.delete(oauthRequests).where(lt(oauthRequests.expiresAt, now))
  await db.delete(oauthCodes).where(and(isNull(oauthCodes.grantId), lt(oauthCodes.expiresAt, now)))
  await db.delete(oauthTokens).where(lt(oauthTokens.refreshExpiresAt, now))
  await db.delete(oauthGrants).where(lt(oauthGrants.revokedAt, new Date(now.getTime() - keepEndedMs)))
  await db
    .delete(oauthGrants)
    .where(sql`not exists (select from ${oauthTokens} where ${oauthTokens.grantId} = ${oauthGrants.grantId})`)
}
