import { randomInt } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Health } from '../../packages/contract/src/system.ts'
import { databaseProcesses, killQuietly, makePlace, waitForNoDatabase } from './database-runner.ts'
import { buildPlatform, type RunningPlatform, runPlatform } from './platform-runner.ts'

/**
 * The whole server, built from its sources, with its own PostgreSQL, killed while people write to it over HTTP. Whatever was answered
 * with 201 is there afterwards, the next start serves without help, and no process is left.
 */

const isLong = process.env.SVC_TEST_LONG === '1'
const rounds = isLong ? 20 : 2
const seed = Number(process.env.SVC_TEST_SEED ?? randomInt(2 ** 31))
const writers = 4

const kindsOfKill = ['server', 'postgres', 'tree'] as const
type Kind = (typeof kindsOfKill)[number]

let script: string | undefined
let place: Awaited<ReturnType<typeof makePlace>>
let platform: RunningPlatform
let token: string | undefined
/** Every name sent, and the id of each account that was acknowledged. */
const sent = new Set<string>()
const acknowledged = new Map<string, string>()
/** Answers that were neither done nor "come again". */
const refused: unknown[] = []

beforeAll(async () => {
  script = await buildPlatform()
  place = await makePlace()
  platform = await start()
  token = await becomeOwner()
}, 300_000)

afterAll(async () => {
  await platform?.kill()
  await place?.remove()
}, 300_000)

const start = () => runPlatform(script ?? '', { SVC_DATA_DIR: place.path, SVC_LOG: 'json' })

test(`${rounds} kills of the platform lose nothing it acknowledged (seed ${seed})`, {
  timeout: 300_000 + rounds * 30_000,
}, async () => {
  const random = createRandom(seed)
  for (const kind of chooseKinds(random)) {
    const enough = acknowledged.size + 1 + Math.floor(random() * 30)
    const pauseMs = random() * 100
    const load = writeUntilStopped()
    await load.until(() => acknowledged.size >= enough)
    await sleep(pauseMs)
    await strike(kind)
    // The database comes back under a server that lives, and the writers go on by themselves.
    const atStrike = acknowledged.size
    if (kind === 'postgres') await load.until(() => acknowledged.size >= atStrike + writers * 2)
    await load.stop()
    if (kind !== 'postgres') platform = await start()
    await checkNothingLost(kind)
  }
  await platform.stop()
  await waitForNoDatabase(place.path)
  await expect.poll(() => processesOf(place.path), { message: `processes left (seed ${seed})` }).toEqual([])
})

/** Every kind before one comes again, in an order that the seed decides. */
function chooseKinds(random: () => number): Kind[] {
  const turns = Math.ceil(rounds / kindsOfKill.length)
  const turn = () =>
    kindsOfKill
      .map((kind) => ({ kind, rank: random() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ kind }) => kind)
  return Array.from({ length: turns }, turn).flat().slice(0, rounds)
}

async function strike(kind: Kind): Promise<void> {
  const database = kind === 'server' ? [] : await databaseProcesses(place.path)
  if (kind !== 'server') expect(database.length).toBeGreaterThan(0)
  for (const pid of kind === 'postgres' ? [await readPostmasterPid()] : database) killQuietly(pid)
  if (kind !== 'postgres') await platform.kill()
}

async function readPostmasterPid(): Promise<number> {
  return Number((await readFile(join(place.path, 'postgres', 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])
}

function writeUntilStopped() {
  const stopped = new AbortController()
  const write = async () => {
    while (!stopped.signal.aborted) {
      const name = `account ${sent.size}`
      sent.add(name)
      const { status, body } = await call('POST', '/v1/accounts', { name })
      if (status === 201) acknowledged.set(name, String(Reflect.get(Object(body), 'account_id')))
      else await sleep(50)
      if (![0, 201, 503].includes(status)) refused.push({ status, body })
    }
  }
  const running = Promise.all(Array.from({ length: writers }, write))
  return {
    async until(isEnough: () => boolean) {
      const deadline = performance.now() + 120_000
      while (!isEnough()) {
        if (performance.now() > deadline) throw new Error(`No write was acknowledged for two minutes (seed ${seed}).`)
        await sleep(10)
      }
    },
    async stop() {
      stopped.abort()
      await running
    },
  }
}

async function checkNothingLost(kind: Kind): Promise<void> {
  const readHealth = async () => {
    const health = await call('GET', '/v1/health')
    const { status, live, ready, parts } = Health.parse(health.body)
    return { http: health.status, status, live, ready, database: parts.database }
  }
  const well = { http: 200, status: 'ok', live: true, ready: true, database: 'ok' }
  await expect.poll(readHealth, { message: `after ${kind} (seed ${seed})` }).toEqual(well)
  const listed = await listAccounts()
  const lost = [...acknowledged].filter(([name, id]) => listed.get(id) !== name)
  expect(refused, `a restart was shown as a fault after ${kind} (seed ${seed})`).toEqual([])
  expect(lost, `acknowledged but lost after ${kind} (seed ${seed})`).toEqual([])
  const names = [...listed.values()].filter((name) => name.startsWith('account '))
  expect(new Set(names).size, `a write that happened twice after ${kind} (seed ${seed})`).toBe(names.length)
  expect(names.filter((name) => !sent.has(name))).toEqual([])
}

/** Names by id, of every page. */
async function listAccounts(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await call('GET', `/v1/accounts${cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`}`)
    expect(page.status).toBe(200)
    for (const account of Array.isArray(page.body) ? page.body : []) found.set(account.account_id, account.name)
    cursor = page.next
  }
  return found
}

async function becomeOwner(): Promise<string> {
  const link = new URL((await readFile(join(place.path, 'first-run-link'), 'utf8')).trim())
  const owner = { email: 'owner@example.com', password: 'a long enough passphrase' }
  const { status, body } = await call('POST', '/v1/auth/first-run', { token: link.searchParams.get('token'), ...owner })
  expect(status).toBe(200)
  return String(Reflect.get(Object(Reflect.get(Object(body), 'session')), 'access_token'))
}

interface Reply {
  /** 0 when the server was gone before it answered. */
  readonly status: number
  readonly body: unknown
  readonly next: string | undefined
}

async function call(method: string, path: string, body?: unknown): Promise<Reply> {
  try {
    const response = await fetch(`${platform.url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const next = response.headers.get('x-next-cursor') ?? undefined
    return { status: response.status, body: await response.json(), next }
  } catch {
    // The connection was cut by the kill: nobody knows what became of the call, which is the point.
    return { status: 0, body: undefined, next: undefined }
  }
}

/** Whatever was started for this data directory: it carries the path in its command line or its environment. */
async function processesOf(path: string): Promise<string[]> {
  if (process.platform !== 'linux') return (await databaseProcesses(path)).map(String)
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const described = await Promise.all(
    pids.map(async (pid) => {
      // A process may end, or belong to somebody else, between being listed and being read.
      const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
      const commandLine = await read('cmdline')
      return `${commandLine}${await read('environ')}`.includes(path)
        ? `${pid} ${commandLine.replaceAll('\0', ' ')}`
        : ''
    }),
  )
  return described.filter((line) => line !== '')
}

/** mulberry32: the same seed, the same moments. */
function createRandom(from: number): () => number {
  let state = from >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
