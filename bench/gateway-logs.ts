import { fileURLToPath } from 'node:url'
import { connectDatabase, parseConnectionString } from '../apps/server/src/kernel/database/index.ts'
import { startGateway, startUpstream } from './support/gateway/servers.ts'
import { type GatewayBench, withGateway } from './support/gateway/world.ts'
import { formatTable, median } from './support/rounds.ts'
import { serveSide } from './support/sides.ts'

/**
 * Reading the log and the figures of a project with ten thousand calls and with a million, over HTTP. Bound: at most
 * twice the time.
 */

const servers = { upstream: startUpstream, gateway: startGateway }
if (process.env.SVC_BENCH_SIDE) await serveSide(servers)

const few = 10_000
const many = Number(process.env.SVC_BENCH_ROWS ?? 1_000_000)
const repeats = 15

const reads = [
  ['logs', 'gateway/logs?limit=50'],
  ['failed logs', 'gateway/logs?limit=50&ok=false'],
  ['overview', 'gateway/overview?days=30'],
  ['series', 'gateway/series?days=30'],
  ['breakdown', 'gateway/breakdown?days=30'],
  ['sessions', 'gateway/sessions?days=30'],
  ['errors', 'gateway/errors?days=30'],
  ['budgets', 'gateway/budgets'],
  ['one log', ''],
] as const

type Client = ReturnType<typeof connectDatabase>

export async function run(): Promise<void> {
  await withGateway(fileURLToPath(import.meta.url), Object.keys(servers), async (bench) => {
    const connection = parseConnectionString(process.env.DATABASE_URL ?? '')
    const database = connectDatabase(connection, { statementTimeoutMs: 600_000 })
    try {
      await fill(database, bench.projectId, 0, few)
      const small = await measureAll(bench)
      await fill(database, bench.projectId, few, many)
      const large = await measureAll(bench)
      const rows = reads.map(([name], at) => {
        const [before = 0, after = 0] = [small[at], large[at]]
        const ratio = after / before
        const isFlat = ratio <= 2 || after - before < 1
        return [name, before.toFixed(1), after.toFixed(1), `${ratio.toFixed(2)} ${isFlat ? 'ok' : 'MISSED'}`]
      })
      console.log(`milliseconds of a read over HTTP, median of ${repeats}`)
      console.log(formatTable(['read', `${few} rows`, `${many} rows`, 'ratio (<= 2)'], rows))
    } finally {
      await database.disconnect()
    }
  })
}

async function measureAll({ call }: GatewayBench): Promise<number[]> {
  const { logs } = await call('GET', 'gateway/logs?limit=1')
  const [newest] = Array.isArray(logs) ? logs : []
  const results: number[] = []
  for (const [, path] of reads) {
    const times: number[] = []
    for (let at = 0; at < repeats + 3; at++) {
      const startedAt = performance.now()
      await call('GET', path === '' ? `gateway/logs/${newest.log_id}` : path)
      times.push(performance.now() - startedAt)
    }
    results.push(median(times.slice(3)))
  }
  return results
}

/** Calls of thirty days by 12 models in 200 sessions, and what they add up to, as the ledger would have written it. */
async function fill({ sql }: Client, projectId: string, from: number, to: number): Promise<void> {
  const [project] = await sql`select account_id from svc.projects where project_id = ${projectId}`
  const accountId = String(project?.account_id)
  await sql`
    insert into svc.model_calls
    select (lpad(to_hex((extract(epoch from t) * 1000)::bigint), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid,
      ${accountId}::uuid, ${projectId}::uuid, md5('session ' || n % 200)::uuid, 'svc', null, null, 'req_' || n, 'chat',
      'm' || n % 12, 'm' || n % 12, 'svc', case when n % 50 = 0 then 502 else 200 end, n % 50 <> 0,
      case when n % 50 = 0 then 'upstream_error' end, null, 200 + n % 3000, 100 + n % 500, 1, 1000, 100, 200, 0,
      500, 0, 'operator', true, 'credits', '{}', t
    from (
      select n, now() - (n::bigint * 7919 % (29 * 86400)) * interval '1 second' as t from generate_series(${from + 1}::int, ${to}::int) as n
    ) as made`
  await sql`delete from svc.model_usage where project_id = ${projectId}`
  await sql`
    insert into svc.model_usage
    select project_id, kind, (created_at at time zone 'utc')::date as day, subject, detail, count(*),
      count(*) filter (where not ok), sum(svc_micros), sum(provider_micros), sum(input_tokens), sum(output_tokens),
      sum(cached_tokens), sum(cache_write_tokens), max(created_at)
    from svc.model_calls cross join lateral (values
      ('project', '', ''), ('model', resolved_model, provider), ('session', session_id::text, ''),
      ('session_model', session_id::text, provider || ' ' || resolved_model), ('agent', agent_name, ''),
      ('latency', round(ln(latency_ms) / ln(1.1))::text, ''), ('error', case when not ok then error_code end, '')
    ) as part(kind, subject, detail)
    where project_id = ${projectId} and subject is not null
    group by project_id, kind, day, subject, detail`
  await sql`vacuum analyze svc.model_calls`
  await sql`vacuum analyze svc.model_usage`
}
