import { execFileSync, spawnSync } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../apps/server/src/kernel/database/index.ts'
import { openPool } from '../../apps/server/src/kernel/database/pool.ts'
import { createTestDatabase, findTestPostgres } from '../../apps/server/src/kernel/database/testing.ts'
import { type GatewayRig, holdsMicrosPerToken, limitMicros, startGatewayRig } from './gateway-rig.ts'

/**
 * The server is killed, its disk is full, and its database goes away, while models answer. Every call that reached a provider has one row,
 * the budget has spent what the rows say, and nothing of it stays reserved.
 */

const streams = process.env.SVC_TEST_LONG === '1' ? 200 : 20
/** What a stream holds until its cost is known. */
const outputTokens = 50
const holdsMicros = outputTokens * holdsMicrosPerToken

let database: Database
let rig: GatewayRig

beforeAll(async () => {
  database = await createTestDatabase()
  rig = await startGatewayRig(database)
}, 240_000)

afterAll(async () => {
  await rig?.stop()
  await database?.close()
}, 120_000)

const openStream = (model: string) => rig.openStream(model, outputTokens)

test(`a kill during ${streams} streams loses no call and no budget`, { timeout: 240_000 }, async () => {
  const opened = await Promise.all(Array.from({ length: streams }, () => openStream('endless')))
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]))
  expect(rig.upstream.requests).toHaveLength(streams)
  await rig.kill()
  await Promise.all(opened.map(({ rest }) => rest))
  await rig.restart()
  const micros = streams * holdsMicros
  const expected = {
    calls: streams,
    forwarded: streams,
    ids: streams,
    micros,
    whole: 0,
    spent: micros,
    leased: 0,
    held: 0,
  }
  expect(await rig.readLedger()).toEqual(expected)
})

const parallel = process.env.SVC_TEST_LONG === '1' ? 500 : 50

/** Every endpoint, whole and as a stream, each with an upstream that does not come to its end. */
function callAnyWay(at: number): Promise<number | undefined> {
  const messages = [{ role: 'user', content: 'hi' }]
  const ways: readonly (readonly [path: string, body: object])[] = [
    ['chat/completions', { model: 'silent', messages, max_tokens: outputTokens }],
    ['chat/completions', { model: 'endless', messages, max_tokens: outputTokens, stream: true }],
    ['responses', { model: 'silent', input: 'hi', max_output_tokens: outputTokens }],
    ['responses', { model: 'endless', input: 'hi', max_output_tokens: outputTokens, stream: true }],
    ['messages', { model: 'silent', messages, max_tokens: outputTokens }],
    ['messages', { model: 'endless', messages, max_tokens: outputTokens, stream: true }],
    ['embeddings', { model: 'vectors', input: 'hi', padding: 'x' }],
  ]
  const [path, body] = ways[at % ways.length] ?? ['', {}]
  return rig.call(path, body)
}

test(`a kill during ${parallel} calls at the edge of a budget, by every endpoint, spends what was held and no more`, {
  timeout: 240_000,
}, async () => {
  const before = await rig.readLedger()
  const seen = rig.upstream.requests.length
  const room = parallel * 0.6 * holdsMicros
  await rig.setLimit(before.micros + room)
  const calls = Array.from({ length: parallel }, (_, at) => callAnyWay(at))
  const answered: (number | undefined)[] = []
  for (const call of calls) void call.then((status) => answered.push(status))
  const forwarded = () => rig.upstream.requests.length - seen
  // Each is either refused or with its upstream: nobody is on the way any more.
  const refused = () => answered.filter((status) => status === 402).length
  await expect.poll(() => refused() + forwarded()).toBe(parallel)
  expect(refused()).toBeGreaterThan(0)
  const held = forwarded()
  await rig.kill()
  await Promise.all(calls)
  await rig.restart()
  const after = await rig.readLedger()
  expect(after.forwarded - before.forwarded).toBe(held)
  expect(after.calls - before.calls).toBe(parallel)
  const spent = after.micros - before.micros
  expect([after.spent, after.leased, after.held]).toEqual([after.micros, 0, 0])
  expect(spent).toBeLessThanOrEqual(room)
  expect(spent).toBeGreaterThan(room - holdsMicros)
  // And nothing more fits after the restart than before it.
  expect(await callAnyWay(0)).toBe(402)
  await rig.setLimit(limitMicros)
})

const canLimit = spawnSync('prlimit', ['--version']).status === 0

test.skipIf(!canLimit)(
  'a disk that is full in the middle of a line refuses calls clearly and loses no other',
  {
    timeout: 240_000,
  },
  async () => {
    const before = await rig.readLedger()
    const seen = rig.upstream.requests.length
    const lift = await limitFiles((await journalBytes()) + 300)
    const refused = await Promise.all(Array.from({ length: 3 }, () => openStream('endless')))
    for (const { status, code, retryAfter } of refused) {
      expect([status, code, retryAfter]).toEqual([503, 'gateway_error', '5'])
    }
    expect(rig.upstream.requests).toHaveLength(seen)
    lift()
    const opened = await Promise.all(Array.from({ length: streams }, () => openStream('endless')))
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]))
    await rig.kill()
    await Promise.all(opened.map(({ rest }) => rest))
    await rig.restart()
    const micros = before.micros + streams * holdsMicros
    const forwarded = before.forwarded + streams
    const calls = before.calls + streams + refused.length
    expect(await rig.readLedger()).toEqual({
      calls,
      forwarded,
      ids: calls,
      micros,
      whole: 0,
      spent: micros,
      leased: 0,
      held: 0,
    })
  },
)

const journalFolder = () => join(rig.dataDir, 'model-calls')

async function journalBytes(): Promise<number> {
  const [name = ''] = (await readdir(journalFolder())).filter((file) => file.endsWith('.jsonl'))
  return (await stat(join(journalFolder(), name))).size
}

/** To the server a disk on which no file grows beyond this: what fits is written, the rest is an error. */
async function limitFiles(bytes: number): Promise<() => void> {
  const locks = (await readdir(join(rig.dataDir, 'lock'))).map(Number).filter(Number.isFinite)
  const { pid } = JSON.parse(await readFile(join(rig.dataDir, 'lock', String(Math.max(...locks))), 'utf8'))
  const set = (limit: string) => execFileSync('prlimit', ['--pid', String(pid), `--fsize=${limit}:`])
  set(String(bytes))
  return () => set('unlimited')
}

test('a database that goes away during calls loses none of them, and holds nothing back', {
  timeout: 120_000,
}, async () => {
  const before = await rig.readLedger()
  const opened = await Promise.all(Array.from({ length: streams }, () => openStream('slow')))
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]))
  await withoutDatabase(async () => {
    // Whose right to an answer cannot be shown again loses the rest of it; the others come to their end.
    await Promise.all(opened.map(({ rest }) => rest))
    await expect.poll(async () => (await openStream('slow')).status).not.toBe(200)
  })
  const forwarded = () => rig.readLedger().then((ledger) => ledger.forwarded)
  await expect.poll(forwarded, { timeout: 60_000 }).toBe(rig.upstream.requests.length)
  await rig.halt()
  const after = await rig.readLedger()
  expect(after.forwarded).toBe(rig.upstream.requests.length)
  expect([after.spent, after.leased, after.held]).toEqual([after.micros, 0, 0])
  expect(after.micros).toBeGreaterThan(before.micros)
  await rig.restart()
})

/** What a restart of the database is to whoever uses it: every connection ends, and for a while there is no new one. */
async function withoutDatabase(use: () => Promise<void>): Promise<void> {
  const { connection } = await findTestPostgres()
  const name = new URL(database.connectionString.replace(/^postgres(ql)?:/, 'http:')).pathname.slice(1)
  const pool = openPool(connection, { applicationName: 'svc test', maxConnections: 1, statementTimeoutMs: 60_000 })
  try {
    await pool.sql.unsafe(`alter database ${name} with allow_connections false`)
    await pool.sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
    await use()
  } finally {
    await pool.sql.unsafe(`alter database ${name} with allow_connections true`)
    await pool.drain()
    await sleep(100)
  }
}
