import { and, eq, isNotNull, type SQL } from 'drizzle-orm'
import type { Sql } from '../../kernel/database/index.ts'
import type { AgentGrant } from '../../kernel/principal.ts'
import type { Db } from '../people/store.ts'
import { tokens } from '../schema.ts'

export type TokenRow = typeof tokens.$inferSelect
export type TokenKind = TokenRow['kind']

export async function addToken(db: Db, token: typeof tokens.$inferInsert): Promise<TokenRow> {
  const [row] = await db.insert(tokens).values(token).returning()
  if (!row) throw new Error('the new token was not written')
  return row
}

/** Which tokens; every field given must fit. */
export interface TokenFilter {
  readonly tokenId?: string
  readonly accountId?: string
  readonly userId?: string
  readonly serviceAccountId?: string
  readonly projectId?: string
  readonly sessionId?: string
  readonly kind?: TokenKind
}

/** The rows that were active until now. A filter without a field is a mistake and revokes nothing. */
export async function revokeTokenRows(db: Db, filter: TokenFilter, now: Date): Promise<TokenRow[]> {
  const conditions = listConditions(filter)
  if (conditions.length === 0) throw new TypeError('revokeTokens needs at least one field to filter by')
  return db
    .update(tokens)
    .set({ status: 'revoked', revokedAt: now })
    .where(and(eq(tokens.status, 'active'), ...conditions))
    .returning()
}

/** Only of tokens that an agent has. */
export async function changeGrantRows(db: Db, filter: TokenFilter, agentGrant: AgentGrant): Promise<TokenRow[]> {
  const conditions = listConditions(filter)
  if (conditions.length === 0) throw new TypeError('changeGrant needs at least one field to filter by')
  return db
    .update(tokens)
    .set({ agentGrant })
    .where(and(eq(tokens.status, 'active'), isNotNull(tokens.agentGrant), ...conditions))
    .returning()
}

function listConditions(filter: TokenFilter): SQL[] {
  return [
    ...(filter.tokenId === undefined ? [] : [eq(tokens.tokenId, filter.tokenId)]),
    ...(filter.accountId === undefined ? [] : [eq(tokens.accountId, filter.accountId)]),
    ...(filter.userId === undefined ? [] : [eq(tokens.userId, filter.userId)]),
    ...(filter.serviceAccountId === undefined ? [] : [eq(tokens.serviceAccountId, filter.serviceAccountId)]),
    ...(filter.projectId === undefined ? [] : [eq(tokens.projectId, filter.projectId)]),
    ...(filter.sessionId === undefined ? [] : [eq(tokens.sessionId, filter.sessionId)]),
    ...(filter.kind === undefined ? [] : [eq(tokens.kind, filter.kind)]),
  ]
}

export interface LiveToken {
  readonly tokenId: string
  readonly kind: TokenKind
  readonly accountId: string
  readonly userId: string | null
  readonly serviceAccountId: string | null
  readonly projectId: string | null
  readonly sessionId: string | null
  readonly agentGrant: AgentGrant | null
  readonly isAutomation: boolean
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly email: string | null
  readonly isOperator: boolean | null
}

/** An active token; one of a service account works only while that is enabled, and never past its expiry. */
export async function findLiveToken(sql: Sql, hash: string, isGateway: boolean): Promise<LiveToken | undefined> {
  const [row] = await sql<LiveToken[]>`
    select token.token_id as "tokenId", token.kind, token.account_id as "accountId", token.user_id as "userId",
      token.service_account_id as "serviceAccountId", token.project_id as "projectId",
      token.session_id as "sessionId", token.agent_grant as "agentGrant", token.is_automation as "isAutomation",
      least(token.expires_at, machine.expires_at) as "expiresAt", token.last_used_at as "lastUsedAt", person.email,
      person.is_operator as "isOperator"
    from svc.tokens as token
    left join svc.users as person on person.user_id = token.user_id
    left join svc.service_accounts as machine on machine.service_account_id = token.service_account_id
    where token.secret_hash = ${hash} and token.status = 'active' and (token.kind = 'gateway') = ${isGateway}
      and (machine.service_account_id is null or machine.status = 'active')`
  return row
}

export async function recordTokenUse(sql: Sql, tokenIds: readonly string[], at: Date): Promise<void> {
  await sql`
    update svc.tokens set last_used_at = ${at} where token_id = any(${[...tokenIds]}::uuid[])
      and (last_used_at is null or last_used_at < ${quarterHourBefore(at)})`
}

export interface LiveServiceAccount {
  readonly serviceAccountId: string
  readonly accountId: string
  readonly projectId: string | null
  readonly agentName: string | null
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
}

export async function findLiveServiceAccount(sql: Sql, hash: string): Promise<LiveServiceAccount | undefined> {
  const [row] = await sql<LiveServiceAccount[]>`
    select service_account_id as "serviceAccountId", account_id as "accountId", project_id as "projectId",
      agent_name as "agentName", expires_at as "expiresAt", last_used_at as "lastUsedAt"
    from svc.service_accounts where secret_hash = ${hash} and status = 'active'`
  return row
}

export async function recordServiceAccountUse(sql: Sql, ids: readonly string[], at: Date): Promise<void> {
  await sql`
    update svc.service_accounts set last_used_at = ${at} where service_account_id = any(${[...ids]}::uuid[])
      and (last_used_at is null or last_used_at < ${quarterHourBefore(at)})`
}

/** Another node, or a cache that is a moment old, may have asked for the same a moment before. */
function quarterHourBefore(at: Date): Date {
  return new Date(at.getTime() - 15 * 60_000)
}
