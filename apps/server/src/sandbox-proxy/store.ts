import { and, count, desc, eq, gt, isNull } from 'drizzle-orm'
import type { Database, Sql, Tx } from '../kernel/database/index.ts'
import { sandboxShares } from './schema.ts'

export type SandboxShareRow = typeof sandboxShares.$inferSelect

const live = (nowMs: number) => and(isNull(sandboxShares.revokedAt), gt(sandboxShares.expiresAt, new Date(nowMs)))

/** True when the prompt is new; false when it was passed on before and is still remembered. */
export async function rememberPrompt(sql: Sql, sessionId: string, promptHash: string, expiresAt: Date) {
  const rows = await sql`
    insert into svc.relayed_prompts (session_id, prompt_hash, expires_at)
    values (${sessionId}, ${promptHash}, ${expiresAt})
    on conflict (session_id, prompt_hash) do update set expires_at = excluded.expires_at
      where svc.relayed_prompts.expires_at <= now()
    returning 1`
  return rows.length > 0
}

/** It was not passed on after all: the next of its kind is the first. */
export async function forgetPrompt(sql: Sql, sessionId: string, promptHash: string): Promise<void> {
  await sql`delete from svc.relayed_prompts where session_id = ${sessionId} and prompt_hash = ${promptHash}`
}

/** What nobody asks for any more. */
export async function cleanProxy(sql: Sql): Promise<void> {
  await sql`delete from svc.relayed_prompts where expires_at < now()`
  await sql`delete from svc.sandbox_shares where expires_at < now() - interval '30 days'`
}

export async function listShares(db: Database['db'], externalId: string, nowMs: number): Promise<SandboxShareRow[]> {
  return db
    .select()
    .from(sandboxShares)
    .where(and(eq(sandboxShares.externalId, externalId), live(nowMs)))
    .orderBy(desc(sandboxShares.createdAt))
    .limit(200)
}

export async function countShares(tx: Tx, externalId: string, nowMs: number): Promise<number> {
  const [row] = await tx.db
    .select({ count: count() })
    .from(sandboxShares)
    .where(and(eq(sandboxShares.externalId, externalId), live(nowMs)))
  return row?.count ?? 0
}

export async function addShare(tx: Tx, row: typeof sandboxShares.$inferInsert): Promise<void> {
  await tx.db.insert(sandboxShares).values(row)
}

export async function findShareByHash(db: Database['db'], tokenHash: string): Promise<SandboxShareRow | undefined> {
  const [row] = await db.select().from(sandboxShares).where(eq(sandboxShares.tokenHash, tokenHash))
  return row
}

export async function revokeShare(tx: Tx, externalId: string, tokenHash: string, now: Date) {
  const [row] = await tx.db
    .update(sandboxShares)
    .set({ revokedAt: now })
    .where(and(eq(sandboxShares.tokenHash, tokenHash), eq(sandboxShares.externalId, externalId), live(now.getTime())))
    .returning()
  return row
}
