import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectedDatabase, connectDatabase } from '../../apps/server/src/kernel/database/connect-database.ts'
import { throwawaySettings } from '../../apps/server/src/kernel/database/embedded/settings.ts'
import { startPostgres } from '../../apps/server/src/kernel/database/embedded/start-postgres.ts'
import { migrate } from '../../apps/server/src/kernel/database/migrations/migrate.ts'
import { readMigrations } from '../../apps/server/src/kernel/database/migrations/read-migrations.ts'
import { createPerson } from '../../tests/support/people.ts'

/** The built platform as a process of its own, with one project whose sessions are timed from outside. */
export async function startSessionPlatform(env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-sessions-'))
  const dataDirectory = join(folder, 'postgres')
  mkdirSync(dataDirectory)
  const postgres = await startPostgres({ dataDirectory, settings: throwawaySettings, durable: false })
  const database = connectDatabase(postgres.connection)
  await migrate(database.connection, await readMigrations(join(process.cwd(), 'apps', 'server', 'migrations')))
  await noteMoments(database.sql)
  const dataDir = join(folder, 'data')
  const url = `http://127.0.0.1:${await freePort()}`
  const server = spawn(process.execPath, ['scripts/start.mjs'], {
    env: {
      ...process.env,
      PORT: new URL(url).port,
      SVC_DATA_DIR: dataDir,
      DATABASE_URL: database.connectionString,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(server, 'exit')
  while (!(await answers(url))) {
    if (server.exitCode !== null) throw new Error(`the platform ended with ${server.exitCode}`)
    await sleep(50)
  }
  const owner = await createPerson({ database, dataDir })

  const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${url}/v1${path}`, { method, headers: owner.headers, ...sent })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return text === '' ? {} : JSON.parse(text)
  }
  const project = await send('POST', '/projects/provision', { name: 'Bench' })
  const sessions = `/projects/${project.project_id}/sessions`

  return {
    async untilWarm(count: number): Promise<void> {
      const list = () => database.sql`select 1 from svc.sandboxes where project_id is null and status = 'active'`
      while ((await list()).length < count) await sleep(50)
    },
    /**
     * In milliseconds: from the request that makes a session to the answer that says it is ready, and from the moment it
     * takes its waiting machine to the one in which it is written that it is ready, by the database's clock.
     */
    async timeSession(): Promise<{ readonly requestMs: number; readonly claimMs: number }> {
      const startedAt = performance.now()
      const { session_id: id } = await send('POST', sessions, {})
      for (;;) {
        const { stage } = await send('POST', `${sessions}/${id}/start?wait_ms=8000`)
        if (stage === 'ready') break
        if (stage === 'failed') throw new Error('a session did not start')
      }
      const requestMs = performance.now() - startedAt
      await send('DELETE', `${sessions}/${id}`)
      const [row] = await database.sql<{ ms: number }[]>`
        select extract(epoch from max(at) filter (where what = 'ready') - max(at) filter (where what = 'claim')) * 1000 as ms
        from public.bench_moments where id = ${String(id)}`
      return { requestMs, claimMs: Number(row?.ms) }
    },
    async stop(): Promise<void> {
      server.kill('SIGTERM')
      await ended
      await database.disconnect()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A table of this bench's own: when machines that waited were taken, and when sessions became ready. */
async function noteMoments(sql: ConnectedDatabase['sql']): Promise<void> {
  await sql.unsafe(`
    create table public.bench_moments (id text, what text, at timestamptz);
    create function public.bench_note() returns trigger language plpgsql as $$
    begin
      insert into public.bench_moments values (
        to_jsonb(new) ->> case tg_argv[0] when 'claim' then 'sandbox_id' else 'session_id' end, tg_argv[0], clock_timestamp());
      return null;
    end $$;
    create trigger bench_claim after update on svc.sandboxes for each row
      when (old.project_id is null and new.project_id is not null) execute function public.bench_note('claim');
    create trigger bench_ready after update on svc.sessions for each row
      when (old.status <> 'running' and new.status = 'running') execute function public.bench_note('ready');`)
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/v1/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
