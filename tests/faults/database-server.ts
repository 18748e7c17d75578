import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { systemActor } from '../../apps/server/src/kernel/actor.ts'
import { openDataDirectory } from '../../apps/server/src/kernel/data-directory/index.ts'
import { type Database, openDatabase } from '../../apps/server/src/kernel/database/index.ts'
import { StartError } from '../../apps/server/src/kernel/start-error.ts'

/**
 * The smallest server that writes: it says on its standard output what it has acknowledged, one JSON line each, and
 * stops like the real one. Run by the fault tests, which kill it.
 */
export type Line =
  | {
      readonly is: 'ready'
      readonly rows: number[]
      readonly events: number
      readonly jobs: number
      readonly postgres: number
    }
  | { readonly is: 'acknowledged'; readonly id: number }
  | { readonly is: 'refused'; readonly reason: string }
  | { readonly is: 'state'; readonly detail: string }
  | { readonly is: 'drained' }

const [path = '', writers = '0'] = process.argv.slice(2)
const {
  SVC_FAULT_NATIVE: native,
  SVC_FAULT_STOP_MS: stopMs,
  SVC_FAULT_PAYLOAD: payloadBytes = '20',
  SVC_FAULT_SQL: extra = 'select 1',
} = process.env
let stopping = false

try {
  const dataDirectory = await openDataDirectory(path)
  const database = await openDatabase({
    dataDirectory,
    embedded: {
      ...(native === undefined ? {} : { native }),
      ...(stopMs === undefined ? {} : { stopTimeoutMs: Number(stopMs) }),
      onState: (_, detail) => say({ is: 'state', detail }),
    },
  })
  await database.sql`create table if not exists public.fault_rows (id bigserial primary key, filler text not null)`
  await database.sql.unsafe(extra)
  let writing: Promise<unknown> = Promise.resolve()
  const stop = async () => {
    stopping = true
    await writing
    await database.close()
    await dataDirectory.release()
    say({ is: 'drained' })
    process.exit(0)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  await report(database)
  writing = Promise.all(Array.from({ length: Number(writers) }, () => write(database)))
} catch (error) {
  console.error(StartError.isInstance(error) ? `${error.message}\n${error.fix}` : error)
  process.exit(StartError.isInstance(error) ? 1 : 70)
}

/** Row, audit event and job in one transaction, so that a kill that separates them shows. */
async function write(database: Database): Promise<void> {
  const filler = 'x'.repeat(Number(payloadBytes))
  while (!stopping) {
    try {
      const id = await database.transact(systemActor, async (tx) => {
        const { rows } = await tx.db.execute<{ id: string }>(
          sql`insert into public.fault_rows (filler) values (${filler}) returning id`,
        )
        await tx.audit({ action: 'fault.write' })
        await tx.enqueue({ name: 'fault' }, {})
        return Number(rows[0]?.id)
      })
      say({ is: 'acknowledged', id })
      // The raw client lives through the same kills.
      await database.sql`select count(*) from public.fault_rows where id = ${id}`
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      say({ is: 'refused', reason: String(cause) })
      await sleep(20)
    }
  }
}

async function report({ sql: raw, postgresPid }: Database): Promise<void> {
  const rows = await raw<{ id: string }[]>`select id from public.fault_rows order by id`
  const [counts] = await raw<{ events: number; jobs: number }[]>`select
    (select count(*)::int from svc.audit_events) as events, (select count(*)::int from graphile_worker.jobs) as jobs`
  const { events = 0, jobs = 0 } = counts ?? {}
  say({ is: 'ready', rows: rows.map(({ id }) => Number(id)), events, jobs, postgres: postgresPid() ?? 0 })
}

function say(line: Line): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}
