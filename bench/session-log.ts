import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../apps/server/src/kernel/clock/index.ts'
import { connectDatabase } from '../apps/server/src/kernel/database/connect-database.ts'
import { throwawaySettings } from '../apps/server/src/kernel/database/embedded/settings.ts'
import { startPostgres } from '../apps/server/src/kernel/database/embedded/start-postgres.ts'
import { migrate } from '../apps/server/src/kernel/database/migrations/migrate.ts'
import { readMigrations } from '../apps/server/src/kernel/database/migrations/read-migrations.ts'
import { startEvents } from '../apps/server/src/kernel/events/index.ts'
import { newId } from '../apps/server/src/kernel/ids/index.ts'
import { createLogger, createMemoryWriter } from '../apps/server/src/kernel/log/index.ts'
import type { RuntimeEvent } from '../apps/server/src/runtimes/runtime.ts'
import { createBatch } from '../apps/server/src/sessions/log/batch-events.ts'
import { createLogTails, type LogTails } from '../apps/server/src/sessions/log/log-tails.ts'
import { logEvents } from '../apps/server/src/sessions/log/write-log.ts'
import { readLogPage } from '../apps/server/src/sessions/store/log.ts'
import { formatTable } from './support/rounds.ts'

/**
 * How many events of runtimes a second reach a session's log (merged, numbered, stored, announced), beside plain inserts
 * of every one of them; and how long a hundred readers take to get a log while it is written, beside one reader, with another
 * that never reads.
 * Bounds: the log takes at least as many as plain inserts take; a hundred readers at most ten times as long as one.
 */

const incoming = 40_000
const perBatch = 500
const minRatio = 1
const readers = 100
const written = 5_000
const maxReaderRatio = 10

type Kernel = Awaited<ReturnType<typeof connect>>

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-session-log-'))
  const postgres = await startPostgres({ dataDirectory: directory, settings: throwawaySettings, durable: false })
  try {
    const kernel = await connect(postgres.connection)
    await measureIngest(kernel)
    await measureReaders(kernel)
    await kernel.events.stop()
    await kernel.database.disconnect()
  } finally {
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function connect(connection: Parameters<typeof connectDatabase>[0]) {
  const database = connectDatabase(connection)
  await migrate(database.connection, await readMigrations(join(process.cwd(), 'apps', 'server', 'migrations')))
  const log = createLogger({ writer: createMemoryWriter() })
  const clock = systemClock
  return { database, log, clock, events: await startEvents({ sql: database.sql, log, clock }) }
}

/** A text that streams in pieces, with a tool call now and then, as runtimes send them. */
function makeEvents(count: number): RuntimeEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const common = { sessionID: 'ses_1', messageID: 'msg_1' }
    if (index % 40 !== 39) {
      const properties = { ...common, partID: `prt_${Math.floor(index / 400)}`, field: 'text', delta: 'some words ' }
      return { type: 'message.part.delta', properties }
    }
    const part = { id: `prt_tool_${index}`, ...common, type: 'tool', tool: 'bash', state: { output: 'x'.repeat(200) } }
    return { type: 'message.part.updated', properties: { ...common, part, time: 0 } }
  })
}

async function measureIngest(kernel: Kernel): Promise<void> {
  const events = makeEvents(incoming)
  const begin = performance.now()
  let rows = 0
  const sessionId = newId()
  for (let at = 0; at < events.length; at += perBatch) {
    const batch = createBatch()
    for (const event of events.slice(at, at + perBatch)) batch.add(event)
    const merged = batch.take()
    rows += merged.length
    await logEvents({ kernel }, sessionId, merged)
  }
  const ourMs = performance.now() - begin
  const plainMs = await insertPlainly(kernel)
  const ratio = plainMs / ourMs
  console.log(
    formatTable(
      ['ingest', 'events/s', 'rows/s'],
      [
        ['the log, merged and numbered', perSecond(incoming, ourMs), perSecond(rows, ourMs)],
        ['plain inserts of every event', perSecond(incoming, plainMs), perSecond(incoming, plainMs)],
      ],
    ),
  )
  require(ratio >= minRatio, `the log takes ${ratio.toFixed(2)} of what plain inserts take; at least ${minRatio}`)
}

async function insertPlainly({ database }: Kernel): Promise<number> {
  const { sql } = database
  const sessionId = newId()
  const begin = performance.now()
  for (let seq = 1; seq <= incoming; seq += perBatch) {
    const list = Array.from({ length: perBatch }, (_, index) => ({
      session_id: sessionId,
      seq: seq + index,
      data: 'x'.repeat(150),
    }))
    await sql`insert into svc.session_events ${sql(list, 'session_id', 'seq', 'data')}`
  }
  return performance.now() - begin
}

async function measureReaders(kernel: Kernel): Promise<void> {
  const tails = createLogTails(kernel)
  const one = await readWhileWriting(kernel, tails, 1)
  const many = await readWhileWriting(kernel, tails, readers)
  const ratio = many / one
  console.log(
    formatTable(
      ['while it is written', 'ms', 'events/s to all readers'],
      [
        ['one reader', one.toFixed(0), perSecond(written, one)],
        [`${readers} readers and one that never reads`, many.toFixed(0), perSecond(written * readers, many)],
      ],
    ),
  )
  require(ratio <= maxReaderRatio, `${readers} readers take ${ratio.toFixed(1)} times one; at most ${maxReaderRatio}`)
}

async function readWhileWriting(kernel: Kernel, tails: LogTails, count: number): Promise<number> {
  const sessionId = newId()
  const never = tails.open(sessionId)
  const begin = performance.now()
  const reading = Array.from({ length: count }, () => readAll(kernel, tails, sessionId))
  const events = makeEvents(40).filter(({ type }) => type === 'message.part.updated')
  for (let done = 0; done < written; done += 50) {
    await logEvents(
      { kernel },
      sessionId,
      Array.from({ length: 50 }, () => events[0] ?? { type: 'x', properties: {} }),
    )
  }
  await Promise.all(reading)
  never.release()
  return performance.now() - begin
}

async function readAll(kernel: Kernel, tails: LogTails, sessionId: string): Promise<void> {
  const tail = tails.open(sessionId)
  const { signal } = new AbortController()
  for (let at = 0; at < written; ) {
    const atHand = tail.since(at)
    const events = atHand ?? (await readLogPage(kernel.database.db, sessionId, at, 200))
    if (!atHand && events.length === 0) tail.reached(at)
    for (const { seq } of events) {
      if (seq !== at + 1) throw new Error(`event ${at + 1} is missing`)
      at = seq
    }
    if (events.length === 0) await tail.growth(at, 1_000, signal)
  }
  tail.release()
}

function require(isKept: boolean, what: string): void {
  console.log(`${isKept ? '✓' : '✗'} ${what}`)
  if (!isKept) process.exitCode = 1
}

const perSecond = (count: number, ms: number) => Math.round((count / ms) * 1000).toLocaleString('en')
