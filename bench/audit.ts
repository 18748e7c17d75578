import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { createSealer } from '../apps/server/src/audit/seal/sealer.ts'
import { listEvents } from '../apps/server/src/audit/store/events.ts'
import { hasUnsealed } from '../apps/server/src/audit/store/seals.ts'
import type { Actor } from '../apps/server/src/kernel/actor.ts'
import { type ConnectedDatabase, connectDatabase } from '../apps/server/src/kernel/database/connect-database.ts'
import { throwawaySettings } from '../apps/server/src/kernel/database/embedded/settings.ts'
import { type EmbeddedPostgres, startPostgres } from '../apps/server/src/kernel/database/embedded/start-postgres.ts'
import { migrate } from '../apps/server/src/kernel/database/migrations/migrate.ts'
import { migrateJobQueue } from '../apps/server/src/kernel/database/migrations/migrate-job-queue.ts'
import { readMigrations } from '../apps/server/src/kernel/database/migrations/read-migrations.ts'
import { newId } from '../apps/server/src/kernel/ids/index.ts'
import { formatTable, median } from './support/rounds.ts'

/**
 * Pages of the audit log, plain and filtered, over ten thousand and over a million events; what an audit event adds to
 * a transaction; how many events a second are sealed.
 * Bounds: a page over a hundred times the events at most twice as slow (and below 50 ms at the 95th percentile), an
 * event at most 0.3 ms.
 */

/** `SVC_BENCH_EVENTS` makes the large log smaller, for a quick look. */
const sizes = [10_000, Number(process.env.SVC_BENCH_EVENTS ?? 1_000_000)]
const rounds = 40
const maxRatio = 2
const maxPageMs = 50
const maxWriteMs = 0.3

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-audit-'))
  const postgres = await startPostgres({ dataDirectory: directory, settings: throwawaySettings, durable: false })
  try {
    const stores: Store[] = []
    for (const size of sizes) stores.push(await fillStore(postgres, size))
    await measurePages(stores)
    const [small] = stores
    if (small) {
      await measureWrites(small.database)
      await measureSealing(small.database)
    }
    for (const { database } of stores) await database.disconnect()
  } finally {
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Store {
  readonly size: number
  readonly accountId: string
  readonly database: ConnectedDatabase
}

async function fillStore(postgres: EmbeddedPostgres, size: number): Promise<Store> {
  const admin = connectDatabase(postgres.connection)
  const name = `audit_${size}_${newId().slice(-6)}`
  await admin.sql.unsafe(`create database ${name} template template0`)
  await admin.disconnect()
  const database = connectDatabase({ ...postgres.connection, database: name }, { statementTimeoutMs: 900_000 })
  await migrate(database.connection, await readMigrations(join(process.cwd(), 'apps', 'server', 'migrations')))
  await migrateJobQueue(database.sql, database.connectionString)
  const accountId = newId()
  const startedAtMs = performance.now()
  // The seals are made up: only reading is measured on them.
  await database.sql.unsafe(`
    alter table svc.audit_events disable trigger user;
    insert into svc.audit_events (event_id, occurred_at, account_id, project_id, session_id, actor_user_id, actor_type,
      source, outcome, action, phase, resource_type, resource_id, http_status, duration_ms, request_id, trace_id,
      correlation_id, ip, user_agent, metadata)
    select gen_random_uuid(), now() - n * interval '1 second', '${accountId}', md5('p' || n % 200)::uuid,
      case when n % 4 = 0 then md5('s' || n % 5000)::uuid end, md5('u' || n % 500), 'human', 'human',
      case when n % 1000 = 7 then 'denied' else 'success' end,
      case when n % 2000 = 3 then 'iam.role.delete' when n % 5 = 0 then 'session.prompt'
        else 'GET /v1/projects/:projectId/sessions/:sessionId' end,
      'completed', case when n % 5 = 0 then 'session' end, md5('r' || n), 200, n % 300, gen_random_uuid()::text, md5('t' || n),
      case when n % 50 = 0 then 'c' || n end, '192.0.2.' || n % 250, 'svc-bench/1',
      jsonb_build_object('method', 'GET', 'path', '/v1/projects/:projectId/sessions/:sessionId')
    from generate_series(1, ${size}) n;
    alter table svc.audit_events enable trigger user;
    insert into svc.audit_seals (account_id, sequence, event_id, previous_hash, hash)
    select '${accountId}', row_number() over (order by occurred_at, event_id), event_id, repeat('0', 64), repeat('1', 64)
    from svc.audit_events;`)
  await database.sql.unsafe('vacuum analyze svc.audit_events')
  await database.sql.unsafe('vacuum analyze svc.audit_seals')
  console.log(`${size.toLocaleString('en')} events made in ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`)
  return { size, accountId, database }
}

/** One more than is shown, to know whether there is a next page. */
const fullPage = 51
const wholeLog: Filter = {}
type Filter = Parameters<typeof listEvents>[2]

const pages: readonly (readonly [string, Filter])[] = [
  ['newest page', wholeLog],
  ['rare action (1 in 2000)', { action: 'iam.role' }],
  ['common action (1 in 5)', { action: 'session.' }],
  ['no such action', { action: 'billing.' }],
  ['one actor (1 in 500)', { actor: '5e8edd851d2fdfbd7415232c67367cc3' }],
  ['one project (1 in 200)', { project_id: '00000000-0000-0000-0000-000000000000' }],
  ['denied (1 in 1000)', { outcome: 'denied' }],
  ['one request', { request_id: '0190a1b2-0000-7000-8000-000000000000' }],
  ['one hour, oldest', { until: '2100-01-01T00:00:00.000Z', since: '2100-01-01T00:00:00.000Z' }],
]

async function measurePages(stores: readonly Store[]): Promise<void> {
  const rows: string[][] = []
  for (const [name, filter] of pages) {
    const limit = await countRows(stores[0], name, filter)
    const times: number[][] = stores.map(() => [])
    for (let round = -3; round < rounds; round += 1) {
      for (const [index, store] of stores.entries()) {
        const startedAtMs = performance.now()
        await readPage(store, await fitFilter(store, name, filter), limit)
        if (round >= 0) times[index]?.push(performance.now() - startedAtMs)
      }
    }
    const [few = 0, many = 0] = times.map(median)
    const slowest = percentile95(times[1] ?? [])
    const ok = many / few <= maxRatio && slowest < maxPageMs
    rows.push([name, ms(few), ms(many), `${(many / few).toFixed(2)}`, ms(slowest), ok ? 'ok' : 'ABOVE'])
  }
  console.log(`\na page of at most 50, as long in both logs, median of ${rounds} alternated rounds`)
  console.log(
    formatTable(['page', ...sizes.map((size) => size.toLocaleString('en')), 'ratio (<= 2)', 'p95 (< 50 ms)', ''], rows),
  )
}

/** Values that exist in this store, looked up once. */
const fitted = new Map<string, Filter>()

async function fitFilter({ size, database }: Store, name: string, filter: Filter): Promise<Filter> {
  const key = `${size} ${name}`
  const known = fitted.get(key)
  if (known) return known
  const [row] = await database.sql`
    select project_id, actor_user_id, request_id, occurred_at from svc.audit_events where project_id is not null
    order by occurred_at limit 1`
  const oldest: Date = row?.occurred_at
  const fit: Filter = {
    ...filter,
    ...(filter.project_id ? { project_id: row?.project_id } : {}),
    ...(filter.actor ? { actor: row?.actor_user_id } : {}),
    ...(filter.request_id ? { request_id: row?.request_id } : {}),
    ...(filter.since
      ? { since: oldest.toISOString(), until: new Date(oldest.getTime() + 3_600_000).toISOString() }
      : {}),
  }
  fitted.set(key, fit)
  return fit
}

/** What the route does besides the gate: nothing waits to be sealed, then the page. */
async function readPage({ database, accountId }: Store, filter: Filter, limit: number): Promise<void> {
  await hasUnsealed(database.sql, accountId)
  await listEvents(database.sql, accountId, filter, { after: undefined, limit })
}

/** As many rows as both logs have, a page at most: what is compared is the size of the log, not that of the page. */
async function countRows(few: Store | undefined, name: string, filter: Filter): Promise<number> {
  if (!few) return fullPage
  const fit = await fitFilter(few, name, filter)
  const rows = await listEvents(few.database.sql, few.accountId, fit, { after: undefined, limit: fullPage })
  return Math.max(1, rows.length)
}

async function measureWrites({ sql: raw, transact }: ConnectedDatabase): Promise<void> {
  await raw`create table public.things (id bigserial primary key, name text not null)`
  const actor: Actor = { type: 'human', userId: newId(), accountId: newId(), requestId: newId(), source: 'human' }
  const change = sql`insert into public.things (name) values ('a thing')`
  const count = 300
  const bare = () => transact(actor, async ({ db }) => void (await db.execute(change)))
  const audited = () =>
    transact(actor, async (tx) => {
      await tx.db.execute(change)
      await tx.audit({ action: 'thing.create', resourceType: 'thing', resourceId: newId(), after: { name: 'a thing' } })
    })
  const sides = [bare, audited]
  const times: number[][] = sides.map(() => [])
  for (let round = -1; round < 7; round += 1) {
    for (const [index, side] of sides.entries()) {
      const startedAtMs = performance.now()
      for (let at = 0; at < count; at += 1) await side()
      if (round >= 0) times[index]?.push((performance.now() - startedAtMs) / count)
    }
  }
  const [without = 0, withEvent = 0] = times.map(median)
  const added = withEvent - without
  console.log('\na transaction that inserts one row, median of 7 alternated rounds')
  console.log(
    formatTable(
      ['bare', 'with its event', 'the event adds (<= 0.3 ms)'],
      [[ms(without), ms(withEvent), `${ms(added)} ${added <= maxWriteMs ? 'ok' : 'ABOVE'}`]],
    ),
  )
}

async function measureSealing(database: ConnectedDatabase): Promise<void> {
  const count = 10_000
  const rates: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const accountId = newId()
    await database.sql`
      insert into svc.audit_events (event_id, account_id, action, request_id, metadata)
      select gen_random_uuid(), ${accountId}, 'thing.create', gen_random_uuid()::text, '{"method": "GET", "path": "/v1/x"}'
      from generate_series(1, ${count})`
    const startedAtMs = performance.now()
    await createSealer(database).sealChain(accountId)
    rates.push(count / ((performance.now() - startedAtMs) / 1000))
  }
  console.log(`\nsealed: ${Math.round(median(rates)).toLocaleString('en')} events a second of one account, one sealer`)
}

function percentile95(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0
}

const ms = (value: number) => `${value.toFixed(2)} ms`
