import type { Sql } from '../../kernel/database/index.ts'

export interface KeyRow {
  readonly tokenId: string
  readonly kind: 'pat' | 'project' | 'session'
  readonly userId: string | null
  readonly serviceAccountId: string | null
  readonly name: string
  readonly projectId: string | null
  readonly publicKey: string
  readonly status: 'active' | 'revoked'
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

interface Page {
  /** Only keys that this principal made by hand. */
  readonly madeBy: string | undefined
  readonly beforeId: string | undefined
  readonly limit: number
}

/** Newest first; ids rise with time. Gateway keys are listed by the gateway. */
export async function listKeys(sql: Sql, accountId: string, { madeBy, beforeId, limit }: Page): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select ${columns(sql)} from svc.tokens
    where account_id = ${accountId} and kind <> 'gateway'
      ${madeBy === undefined ? sql`` : sql`and kind <> 'session' and (user_id = ${madeBy} or service_account_id = ${madeBy})`}
      ${beforeId === undefined ? sql`` : sql`and token_id < ${beforeId}`}
    order by token_id desc limit ${limit}`
}

export async function findActiveKey(sql: Sql, accountId: string, tokenId: string): Promise<KeyRow | undefined> {
  const [row] = await sql<KeyRow[]>`
    select ${columns(sql)} from svc.tokens
    where token_id = ${tokenId} and account_id = ${accountId} and kind <> 'gateway' and status = 'active'`
  return row
}

/** Everything but the hash. */
function columns(sql: Sql) {
  return sql`token_id as "tokenId", kind, user_id as "userId", service_account_id as "serviceAccountId", name,
    project_id as "projectId", public_key as "publicKey", status, expires_at as "expiresAt",
    last_used_at as "lastUsedAt", created_at as "createdAt", revoked_at as "revokedAt"`
}
