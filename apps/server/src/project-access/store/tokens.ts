import type { Sql } from '../../kernel/database/index.ts'

export interface KeyRow {
  readonly tokenId: string
  readonly name: string
  readonly publicKey: string
  readonly status: 'active' | 'revoked'
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

/** API keys of a project, newest first; tokens of sessions and the gateway are not among them. */
export async function listProjectKeys(
  sql: Sql,
  projectId: string,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select token_id as "tokenId", name, public_key as "publicKey", status, expires_at as "expiresAt",
      last_used_at as "lastUsedAt", created_at as "createdAt", revoked_at as "revokedAt"
    from svc.tokens where project_id = ${projectId} and kind = 'project'
      ${beforeId === undefined ? sql`` : sql`and token_id < ${beforeId}`}
    order by token_id desc limit ${limit}`
}

export async function findActiveKey(
  sql: Sql,
  projectId: string,
  tokenId: string,
): Promise<{ name: string } | undefined> {
  const [row] = await sql<{ name: string }[]>`
    select name from svc.tokens
    where token_id = ${tokenId} and project_id = ${projectId} and kind = 'project' and status = 'active'`
  return row
}
