import { execFileSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commitFiles, openRepository, readBranch } from '../../apps/server/src/git/index.ts'
import { runClient, tryClient } from '../../apps/server/src/git/testing/run-client.ts'
import type { Database } from '../../apps/server/src/kernel/database/index.ts'
import { createTestDatabase } from '../../apps/server/src/kernel/database/testing.ts'
import { createPerson, type Person } from '../support/people.ts'
import { buildPlatform, type RunningPlatform, runPlatform } from './platform-runner.ts'

/**
 * The server is killed while it makes projects, takes pushes, merges and edits a manifest. Whatever it had acknowledged
 * stands, the refs and the database tell the same, and nothing is left half.
 */

const rounds = process.env.SVC_TEST_LONG === '1' ? 30 : 3
const seed = Number(process.env.SVC_TEST_SEED ?? randomInt(2 ** 31))
const perRound = 4

let script: string
let database: Database
let dataDir: string
let scratch: string
let platform: RunningPlatform
let person: Person

beforeAll(async () => {
  script = await buildPlatform()
  database = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'svc-kill-'))
  scratch = await mkdtemp(join(tmpdir(), 'svc-kill-clients-'))
  platform = await start()
  person = await createPerson({ database, dataDir })
}, 120_000)

afterAll(async () => {
  await platform?.stop()
  await database?.close()
  await rm(dataDir, { recursive: true, force: true })
  await rm(scratch, { recursive: true, force: true })
})

const start = () => runPlatform(script, { SVC_DATA_DIR: dataDir, DATABASE_URL: database.connectionString })
const pathOf = (projectId: string) => join(dataDir, 'repositories', `${projectId}.git`)

test(`${rounds} kills during provisions, pushes, merges and manifest edits (seed ${seed})`, {
  timeout: 180_000 + rounds * 30_000,
}, async () => {
  const random = createRandom(seed)
  const acknowledged = new Map<string, string>()
  const home = await provision('home')
  const homeId = String(home.body.project_id)
  acknowledged.set('home', homeId)
  for (let round = 0; round < rounds; round += 1) {
    const requests = await openRequests(homeId, round)
    const keys = Array.from({ length: perRound }, (_, index) => `round-${round}-${index}`)
    const clones = await preparePushes(homeId, round)
    const calls = {
      made: keys.map(provision),
      merged: requests.map(({ path }) => call('POST', `${path}/merge`, {})),
      pushed: clones.map(({ folder, branch }) => tryClient(folder, ['push', '-q', 'origin', `HEAD:${branch}`])),
      edited: keys.map((key) => call('PUT', `/v1/projects/${homeId}/agents/svc/scope`, { env: [secretOf(key)] })),
    }
    const killed = killAmid(Object.values(calls).flat(), random)
    const [made, merged, pushed, edited] = await Promise.all([
      Promise.all(calls.made),
      Promise.all(calls.merged),
      Promise.all(calls.pushed),
      Promise.all(calls.edited),
      killed,
    ])
    for (const [index, reply] of made.entries()) {
      if (reply.status === 201) acknowledged.set(keys[index] ?? '', String(reply.body.project_id))
    }
    platform = await start()
    await checkNothingHalf()
    for (const [index, { branch, tip }] of clones.entries()) {
      const there = await readBranch(openRepository(pathOf(homeId)), branch)
      expect([branch, [tip, null].includes(there)]).toEqual([branch, true])
      if (pushed[index]?.code === 0) expect([branch, there]).toEqual([branch, tip])
    }
    const history = git(homeId, 'log', '-p', 'main', '--', 'svc.yaml').split('\n')
    for (const [index, { status }] of edited.entries()) {
      const name = secretOf(keys[index] ?? '')
      const isThere = history.some((line) => line.startsWith('+') && line.includes(name))
      if (status === 200) expect([name, isThere]).toEqual([name, true])
    }
    for (const key of keys) {
      const again = await provision(key)
      expect([key, again.status, again.body.code]).toEqual([key, 201, undefined])
      const first = acknowledged.get(key)
      if (first !== undefined) expect(again.body.project_id).toBe(first)
      acknowledged.set(key, String(again.body.project_id))
    }
    for (const [index, { path, head }] of requests.entries()) {
      const { body } = await call('GET', path)
      const status = String(Reflect.get(Object(body.change_request), 'status'))
      expect([path, status]).toEqual([path, isMergedInGit(homeId, head) ? 'merged' : 'open'])
      if (merged[index]?.status === 200) expect(status).toBe('merged')
      if (status === 'open') expect((await call('POST', `${path}/merge`, {})).status).toBe(200)
    }
  }
  expect(new Set(acknowledged.values()).size).toBe(acknowledged.size)
  const { list } = await call('GET', '/v1/projects')
  expect(list.map((project) => String(project.project_id)).sort()).toEqual([...acknowledged.values()].sort())
})

const provision = (key: string) =>
  call('POST', '/v1/projects/provision', { name: key, idempotency_key: key, starter_template: 'minimal' })

/** Kills the server a moment after some of the calls were answered: on a slow machine as on a fast one. */
async function killAmid(calls: readonly Promise<unknown>[], random: () => number): Promise<void> {
  const enough = Math.floor(random() * calls.length)
  let answered = 0
  await new Promise<void>((resolve) => {
    if (enough === 0) resolve()
    for (const one of calls) {
      void one.then(() => {
        answered += 1
        if (answered >= enough) resolve()
      })
    }
  })
  await sleep(random() * 60)
  await platform.kill()
}

const secretOf = (key: string) => key.toUpperCase().replaceAll('-', '_')

/** Clones with a commit each, of some weight so that a kill can meet the pack on its way. */
async function preparePushes(projectId: string, round: number) {
  const url = new URL(`${platform.url}/v1/git/${projectId}.git`)
  url.username = 'x-access-token'
  url.password = person.accessToken
  const clones: { folder: string; branch: string; tip: string }[] = []
  for (let index = 0; index < 2; index += 1) {
    const branch = `pushed-${round}-${index}`
    const folder = join(scratch, branch)
    await runClient(scratch, ['clone', '-q', '--depth', '1', url.href, folder])
    await writeFile(join(folder, `${branch}.bin`), randomBytes(2 * 1024 * 1024))
    await runClient(folder, ['add', '.'])
    await runClient(folder, ['commit', '-q', '-m', branch])
    clones.push({ folder, branch, tip: await runClient(folder, ['rev-parse', 'HEAD']) })
  }
  return clones
}

/** Branches made in the repository itself, and a request for each. */
async function openRequests(projectId: string, round: number) {
  const repository = openRepository(pathOf(projectId))
  const tip = await readBranch(repository, 'main')
  const requests: { path: string; head: string }[] = []
  for (let index = 0; index < perRound; index += 1) {
    const branch = `branch-${round}-${index}`
    const author = { name: 'Ada', email: 'ada@example.com' }
    const changes = [{ path: `${branch}.txt`, content: `${branch}\n` }]
    execFileSync('git', ['-C', pathOf(projectId), 'update-ref', `refs/heads/${branch}`, tip ?? ''])
    const { commit } = await commitFiles(repository, { branch, expectedParent: tip, changes, message: branch, author })
    const opened = await call('POST', `/v1/projects/${projectId}/change-requests`, { title: branch, head_ref: branch })
    requests.push({ path: `/v1/projects/${projectId}/change-requests/${String(opened.body.cr_id)}`, head: commit })
  }
  return requests
}

/** Every repository belongs to a project, every project has one, and no attempt or draft is left. */
async function checkNothingHalf(): Promise<void> {
  const names = await readdir(join(dataDir, 'repositories'))
  const rows = await database.sql<{ projectId: string }[]>`select project_id as "projectId" from svc.projects`
  expect(names.sort()).toEqual(rows.map(({ projectId }) => `${projectId}.git`).sort())
  const running = await database.sql`select 1 from svc.provision_attempts where status = 'running'`
  expect(running).toHaveLength(0)
  const intents = await database.sql`select 1 from svc.change_requests where merge_intent is not null`
  expect(intents).toHaveLength(0)
  for (const { projectId } of rows) git(projectId, 'fsck', '--full', '--strict', '--no-dangling')
}

function git(projectId: string, ...args: string[]): string {
  return execFileSync('git', ['-C', pathOf(projectId), ...args], { encoding: 'utf8', stdio: 'pipe' })
}

function isMergedInGit(projectId: string, head: string): boolean {
  try {
    execFileSync('git', ['-C', pathOf(projectId), 'merge-base', '--is-ancestor', head, 'main'], { stdio: 'ignore' })
    return true
  } catch {
    // Exit 1: it is not in there.
    return false
  }
}

interface Reply {
  /** 0 when the server was gone before it answered. */
  readonly status: number
  readonly body: Record<string, unknown>
  readonly list: Record<string, unknown>[]
}

async function call(method: string, path: string, body?: unknown): Promise<Reply> {
  try {
    const response = await fetch(`${platform.url}${path}`, {
      method,
      headers: person.headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const parsed: unknown = await response.json()
    return { status: response.status, body: Object(parsed), list: Array.isArray(parsed) ? parsed : [] }
  } catch {
    // The connection was cut by the kill: nobody knows what became of the call, which is the point.
    return { status: 0, body: {}, list: [] }
  }
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
