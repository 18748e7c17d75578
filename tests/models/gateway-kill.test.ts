import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../apps/server/src/kernel/database/index.ts'
import { openPool } from '../../apps/server/src/kernel/database/pool.ts'
import { createTestDatabase, findTestPostgres } from '../../apps/server/src/kernel/database/testing.ts'
import { type FakeUpstream, startFakeUpstream } from '../../apps/server/src/models/testing/fake-upstream.ts'
import { buildPlatform, type RunningPlatform, runPlatform } from '../faults/platform-runner.ts'
import { createPerson } from '../support/people.ts'

/**
 * The server is killed, its disk is full, and its database goes away, while models answer. Every call that reached a provider has one row,
 * the budget has spent what the rows say, and nothing of it stays reserved.
 */

const streams = process.env.SVC_TEST_LONG === '1' ? 200 : 20
/** Of the price below: what a stream holds until its cost is known, and what it costs. */
const outputTokens = 50
const holdsMicros = 6_000

let script: string
let database: Database
let dataDir: string
let upstream: FakeUpstream
let platform: RunningPlatform
let projectId: string
let key: string

beforeAll(async () => {
  ;[script, database, dataDir, upstream] = await Promise.all([
    buildPlatform(),
    createTestDatabase(),
    mkdtemp(join(tmpdir(), 'svc-kill-')),
    startFakeUpstream(),
  ])
  const cost = { input: 0, output: 100 }
  const models = Object.fromEntries(['endless', 'slow'].map((name) => [name, { provider: 'fake', cost }]))
  const providers = { fake: { base_url: upstream.url } }
  await writeFile(join(dataDir, 'models.json'), JSON.stringify({ providers, models, markup: 1.2, local: false }))
  platform = await start()
  const person = await createPerson({ database, dataDir })
  const ask = async (method: string, path: string, body: object) => {
    const sent = { method, headers: person.headers, body: JSON.stringify(body) }
    const response = await fetch(`${platform.url}/v1/projects/${path}`, sent)
    const document: unknown = await response.json()
    expect(response.ok, JSON.stringify(document)).toBe(true)
    return Object(document)
  }
  projectId = (await ask('POST', 'provision', { name: 'killed' })).project_id
  await ask('PUT', `${projectId}/gateway/budgets`, { scope: 'project', limit_usd: 100 })
  key = (await ask('POST', `${projectId}/gateway/keys`, { name: 'killed' })).secret_key
}, 120_000)

afterAll(async () => {
  await platform?.stop()
  await upstream?.stop()
  await database?.close()
  await rm(dataDir, { recursive: true, force: true })
})

const start = () =>
  runPlatform(script, {
    SVC_DATA_DIR: dataDir,
    DATABASE_URL: database.connectionString,
    SVC_MODELS_FILE: join(dataDir, 'models.json'),
  })

/** Resolves with the status once the first byte is there; `rest` with whether the stream came to its end. */
async function openStream(model: string) {
  const messages = [{ role: 'user', content: 'hi' }]
  const response = await fetch(`${platform.url}/v1/llm/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, max_tokens: outputTokens, stream: true }),
  })
  const retryAfter = response.headers.get('retry-after')
  if (response.status !== 200) {
    const { code } = Object(await response.json())
    return { status: response.status, code, retryAfter, rest: Promise.resolve(false) }
  }
  const rest = response.text().then(
    (text) => text.includes('[DONE]'),
    () => false,
  )
  return { status: response.status, code: undefined, retryAfter, rest }
}

async function readLedger() {
  const [rows] = await database.sql<{ calls: number; ids: number; micros: number; whole: number }[]>`
    select count(*)::int as calls, count(distinct call_id)::int as ids,
      coalesce(sum(svc_micros + provider_micros), 0)::int as micros, count(*) filter (where ok)::int as whole
    from svc.model_calls where project_id = ${projectId}`
  const [period] = await database.sql`
    select spent_micros::int as spent, leased_micros::int as leased from svc.model_budget_periods`
  const [held] = await database.sql`select coalesce(sum(micros), 0)::int as micros from svc.model_budget_leases`
  if (!rows) throw new Error('a count has no row')
  return { ...rows, spent: period?.spent, leased: period?.leased, held: held?.micros }
}

test(`a kill during ${streams} streams loses no call and no budget`, { timeout: 240_000 }, async () => {
  const opened = await Promise.all(Array.from({ length: streams }, () => openStream('endless')))
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]))
  expect(upstream.requests).toHaveLength(streams)
  await platform.kill()
  await Promise.all(opened.map(({ rest }) => rest))
  platform = await start()
  const micros = streams * holdsMicros
  const expected = { calls: streams, ids: streams, micros, whole: 0, spent: micros, leased: 0, held: 0 }
  expect(await readLedger()).toEqual(expected)
})

const canLimit = spawnSync('prlimit', ['--version']).status === 0

test.skipIf(!canLimit)(
  'a disk that is full in the middle of a line refuses calls clearly and loses no other',
  {
    timeout: 240_000,
  },
  async () => {
    const before = await readLedger()
    const forwarded = upstream.requests.length
    const lift = await limitFiles((await journalBytes()) + 300)
    const refused = await Promise.all(Array.from({ length: 3 }, () => openStream('endless')))
    for (const { status, code, retryAfter } of refused) {
      expect([status, code, retryAfter]).toEqual([503, 'gateway_error', '5'])
    }
    expect(upstream.requests).toHaveLength(forwarded)
    lift()
    const opened = await Promise.all(Array.from({ length: streams }, () => openStream('endless')))
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]))
    await platform.kill()
    await Promise.all(opened.map(({ rest }) => rest))
    platform = await start()
    const micros = before.micros + streams * holdsMicros
    const calls = before.calls + refused.length + streams
    expect(await readLedger()).toEqual({ calls, ids: calls, micros, whole: 0, spent: micros, leased: 0, held: 0 })
  },
)

const journalFolder = () => join(dataDir, 'model-calls')

async function journalBytes(): Promise<number> {
  const [name = ''] = (await readdir(journalFolder())).filter((file) => file.endsWith('.jsonl'))
  return (await stat(join(journalFolder(), name))).size
}

/** To the server a disk on which no file grows beyond this: what fits is written, the rest is an error. */
async function limitFiles(bytes: number): Promise<() => void> {
  const locks = (await readdir(join(dataDir, 'lock'))).map(Number).filter(Number.isFinite)
  const { pid } = JSON.parse(await readFile(join(dataDir, 'lock', String(Math.max(...locks))), 'utf8'))
  const set = (limit: string) => execFileSync('prlimit', ['--pid', String(pid), `--fsize=${limit}:`])
  set(String(bytes))
  return () => set('unlimited')
}

test('a database that goes away during calls loses none of them, and holds nothing back', {
  timeout: 120_000,
}, async () => {
  const before = await readLedger()
  const refused = before.calls - upstream.requests.length
  const opened = await Promise.all(Array.from({ length: streams }, () => openStream('slow')))
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]))
  await withoutDatabase(async () => {
    // Whose right to an answer cannot be shown again loses the rest of it; the others come to their end.
    await Promise.all(opened.map(({ rest }) => rest))
    await expect.poll(async () => (await openStream('slow')).status).not.toBe(200)
  })
  const forwarded = () => readLedger().then((ledger) => ledger.calls - refused)
  await expect.poll(forwarded, { timeout: 60_000 }).toBe(upstream.requests.length)
  await platform.stop()
  const after = await readLedger()
  expect(after.calls - refused).toBe(upstream.requests.length)
  expect([after.spent, after.leased, after.held]).toEqual([after.micros, 0, 0])
  expect(after.micros).toBeGreaterThan(before.micros)
  platform = await start()
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
