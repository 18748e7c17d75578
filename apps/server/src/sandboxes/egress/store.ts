import { and, desc, eq, sql as fragment, lt } from 'drizzle-orm'
import type { Sql } from 'postgres'
import type { Drizzle, DrizzleTransaction } from '../../kernel/database/index.ts'
import { egressLog, egressRules } from './schema.ts'

type Db = Drizzle | DrizzleTransaction

export interface AuthorityRow {
  readonly accountId: string
  readonly certificate: string
  readonly sealedKey: Buffer
  readonly expiresAt: Date
}

export interface LogRow {
  readonly projectId: string
  readonly sandboxId: string
  readonly host: string
  readonly port: number
  readonly outcome: string
  readonly connections: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly startedAt: Date
  readonly endedAt: Date
}

export async function findAllowList(sql: Sql, projectId: string): Promise<string[] | undefined> {
  const [row] = await sql<{ allow: string[] }[]>`select allow from svc.egress_rules where project_id = ${projectId}`
  return row?.allow
}

export async function findAccountId(sql: Sql, projectId: string): Promise<string | undefined> {
  const [row] = await sql<{ accountId: string }[]>`
    select account_id as "accountId" from svc.projects where project_id = ${projectId}`
  return row?.accountId
}

export async function findAuthority(sql: Sql, projectId: string): Promise<AuthorityRow | undefined> {
  const [row] = await sql<AuthorityRow[]>`
    select account_id as "accountId", certificate, sealed_key as "sealedKey", expires_at as "expiresAt"
    from svc.egress_authorities where project_id = ${projectId}`
  return row
}

/** Keeps the one that is there while it is valid, so that of two processes that make one both use the same. */
export async function addAuthority(sql: Sql, projectId: string, row: AuthorityRow, now: Date): Promise<void> {
  await sql`
    insert into svc.egress_authorities as known (project_id, account_id, certificate, sealed_key, expires_at)
    values (${projectId}, ${row.accountId}, ${row.certificate}, ${row.sealedKey}, ${row.expiresAt})
    on conflict (project_id) do update set certificate = excluded.certificate, sealed_key = excluded.sealed_key,
      expires_at = excluded.expires_at, created_at = now()
    where known.expires_at <= ${now}`
}

export async function addLogRows(sql: Sql, rows: readonly LogRow[]): Promise<void> {
  const records = rows.map((row) => ({
    project_id: row.projectId,
    sandbox_id: row.sandboxId,
    host: row.host,
    port: row.port,
    outcome: row.outcome,
    connections: row.connections,
    bytes_in: row.bytesIn,
    bytes_out: row.bytesOut,
    started_at: row.startedAt.toISOString(),
    ended_at: row.endedAt.toISOString(),
  }))
  // Of a project that is gone meanwhile nothing is kept, and its rows cost no other's.
  await sql`
    insert into svc.egress_log
      (project_id, sandbox_id, host, port, outcome, connections, bytes_in, bytes_out, started_at, ended_at)
    select r.project_id, r.sandbox_id, r.host, r.port, r.outcome, r.connections, r.bytes_in, r.bytes_out,
      r.started_at, r.ended_at
    from jsonb_to_recordset(${sql.json(records)}) as r(project_id uuid, sandbox_id uuid, host text, port integer,
      outcome text, connections integer, bytes_in bigint, bytes_out bigint, started_at timestamptz, ended_at timestamptz)
    where exists (select from svc.projects p where p.project_id = r.project_id)`
}

/** What is older than the bound, and what a project has beyond its share; a batch at a time. */
export async function cleanLog(
  sql: Sql,
  { before, rowsPerProject, batch }: { before: Date; rowsPerProject: number; batch: number },
): Promise<number> {
  const old = await sql`
    delete from svc.egress_log where entry_id in
      (select entry_id from svc.egress_log where ended_at < ${before} order by ended_at limit ${batch})`
  const excess = await sql`
    delete from svc.egress_log where entry_id in (
      select x.entry_id from (select distinct project_id from svc.egress_log) p
      cross join lateral (select entry_id from svc.egress_log l where l.project_id = p.project_id
        order by entry_id desc offset ${rowsPerProject} limit ${batch}) x)`
  return old.count + excess.count
}

export async function findRules(db: Db, projectId: string): Promise<typeof egressRules.$inferSelect | undefined> {
  const [row] = await db.select().from(egressRules).where(eq(egressRules.projectId, projectId))
  return row
}

export async function setRules(db: Db, row: typeof egressRules.$inferInsert): Promise<void> {
  const { allow, updatedBy } = row
  await db
    .insert(egressRules)
    .values(row)
    .onConflictDoUpdate({ target: egressRules.projectId, set: { allow, updatedBy, updatedAt: fragment`now()` } })
}

export async function removeRules(db: Db, projectId: string): Promise<void> {
  await db.delete(egressRules).where(eq(egressRules.projectId, projectId))
}

/** Newest first. */
export async function listLog(
  db: Db,
  filter: { projectId: string; sandboxId: string | undefined; below: number | undefined; limit: number },
): Promise<(typeof egressLog.$inferSelect)[]> {
  return db
    .select()
    .from(egressLog)
    .where(
      and(
        eq(egressLog.projectId, filter.projectId),
        filter.sandboxId === undefined ? undefined : eq(egressLog.sandboxId, filter.sandboxId),
        filter.below === undefined ? undefined : lt(egressLog.entryId, filter.below),
      ),
    )
    .orderBy(desc(egressLog.entryId))
    .limit(filter.limit)
}
