import { and, eq } from 'drizzle-orm'
import type { Sql } from '../../kernel/database/index.ts'
import { modelKeys } from '../schema.ts'
import type { Db } from '../store.ts'

interface KeyRow {
  readonly key_id: string
  readonly name: string
  readonly key_prefix: string
  readonly status: 'active' | 'revoked'
  readonly last_used_at: Date | null
  readonly created_at: Date
  readonly expires_at: Date | null
}

/** Newest first. */
export async function listKeys(sql: Sql, projectId: string): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select key_id, token.name, key_prefix, token.status, token.last_used_at, token.created_at, token.expires_at
    from svc.model_keys join svc.tokens as token on token.token_id = key_id
    where model_keys.project_id = ${projectId} order by token.created_at desc, key_id desc limit 500`
}

export async function addKey(db: Db, row: typeof modelKeys.$inferInsert): Promise<void> {
  await db.insert(modelKeys).values(row)
}

export async function hasKey(db: Db, projectId: string, keyId: string): Promise<boolean> {
  const rows = await db
    .select()
    .from(modelKeys)
    .where(and(eq(modelKeys.projectId, projectId), eq(modelKeys.keyId, keyId)))
  return rows.length > 0
}
