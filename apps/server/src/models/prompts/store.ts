import { sql } from 'drizzle-orm'
import type { Sql } from '../../kernel/database/index.ts'
import type { Db } from '../store.ts'

export interface SealedPrompt {
  readonly callId: string
  readonly accountId: string
  readonly projectId: string
  readonly request: Buffer | null
  readonly response: Buffer | null
  readonly createdAt: Date
}

/** Kept only as long as the project asks for it now: one that stopped meanwhile gets no row. */
export async function addPrompt(sql: Sql, prompt: SealedPrompt): Promise<void> {
  const { callId, accountId, projectId, request, response, createdAt } = prompt
  await sql`
    insert into svc.model_prompts
      (call_id, account_id, project_id, sealed_request, sealed_response, created_at, expires_at)
    select ${callId}, ${accountId}, ${projectId}, ${request}, ${response}, ${createdAt},
      ${createdAt}::timestamptz + prompt_days * interval '1 day'
    from svc.project_models where project_id = ${projectId} and prompt_days is not null
    on conflict do nothing`
}

interface FoundPrompt {
  readonly sealed_request: Buffer | null
  readonly sealed_response: Buffer | null
}

export async function findPrompt(
  sql: Sql,
  projectId: string,
  callId: string,
  now: Date,
): Promise<FoundPrompt | undefined> {
  const [row] = await sql<FoundPrompt[]>`
    select sealed_request, sealed_response from svc.model_prompts
    where call_id = ${callId} and project_id = ${projectId} and expires_at > ${now}`
  return row
}

/** What was kept for longer than a project now wants ends earlier; without a wish everything ends at once. */
export async function shortenPrompts(db: Db, projectId: string, days: number | null): Promise<void> {
  if (days === null) {
    await db.execute(sql`delete from svc.model_prompts where project_id = ${projectId}::uuid`)
    return
  }
  await db.execute(sql`
    update svc.model_prompts set expires_at = created_at + ${days}::int * interval '1 day'
    where project_id = ${projectId}::uuid and expires_at > created_at + ${days}::int * interval '1 day'`)
}

export async function deleteExpired(sql: Sql, now: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from svc.model_prompts where call_id in (
      select call_id from svc.model_prompts where expires_at <= ${now} order by expires_at limit ${limit})`
  return gone.count
}
