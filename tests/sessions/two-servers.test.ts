import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../apps/server/src/kernel/config.ts'
import { createLogger, createMemoryWriter } from '../../apps/server/src/kernel/log/index.ts'
import { type Platform, startPlatform } from '../../apps/server/src/platform.ts'
import {
  promptBody,
  type Reply,
  readOutput,
  type SessionWorld,
  scriptOf,
  send,
  startSessionWorld,
  waitUntilIdle,
  waitUntilReady,
} from './session-world.ts'

/** Two servers on one database, each with machines of its own. */

let world: SessionWorld
let folder: string
let other: Platform
let sessionId: string
beforeAll(async () => {
  world = await startSessionWorld()
  folder = await mkdtemp(join(tmpdir(), 'svc-other-'))
  await copyFile(join(world.platform.dataDir, 'master-key'), join(folder, 'master-key'))
  await symlink(join(world.platform.dataDir, 'repositories'), join(folder, 'repositories'))
  const made = await world.call('POST /sessions', {})
  sessionId = String(made.body.session_id)
  await waitUntilReady(world, sessionId)
}, 240_000)
afterAll(async () => {
  await other?.stop()
  await world?.stop()
  await rm(folder, { recursive: true, force: true })
})

const startOther = () =>
  startPlatform(
    readConfig({ PORT: '0', SVC_DATA_DIR: folder, DATABASE_URL: world.platform.database.connectionString }),
    createLogger({ writer: createMemoryWriter() }),
  )

/** Asks the other server. */
function ask(route: string, body?: unknown): Promise<Reply> {
  const [method, path] = route.split(' ')
  return send(
    other.url,
    world.owner,
    `${method} /v1/projects/${world.projectId}/sessions/${sessionId}${path ?? ''}`,
    body,
  )
}

async function machine(): Promise<string | undefined> {
  const { sql } = world.platform.database
  const [row] = await sql<{ status: string }[]>`select status from svc.sandboxes where sandbox_id = ${sessionId}`
  return row?.status
}

const statusOf = async () => (await world.call(`GET /sessions/${sessionId}`)).body.status

test('a server that starts leaves the sessions of the other alone, and what it is asked for is done where they run', {
  timeout: 240_000,
}, async () => {
  await world.call(`POST /sessions/${sessionId}/prompts`, promptBody(scriptOf('wait 3s', 'run echo first', 'finish')))
  other = await startOther()
  expect(await statusOf()).toBe('running')
  expect((await waitUntilIdle(world, sessionId)).last_ended).toMatchObject({ end_reason: 'completed' })

  const sent = await ask('POST /prompts', promptBody(scriptOf('write kept.txt: kept', 'run cat kept.txt', 'finish')))
  expect(sent.status).toBe(202)
  await waitUntilIdle(world, sessionId)
  expect((await readOutput(world, sessionId)).trim()).toBe('kept')

  expect((await ask('POST /stop')).body).toMatchObject({ status: 'stopped' })
  await expect.poll(machine).toBe('stopped')

  // Woken through the other server it comes back where its files are.
  await ask('POST /prompts', promptBody(scriptOf('run cat kept.txt', 'finish Again.')))
  await expect.poll(statusOf, { timeout: 90_000 }).toBe('running')
  await waitUntilIdle(world, sessionId)
  expect((await readOutput(world, sessionId)).trim()).toBe('kept')

  expect((await ask('DELETE ')).status).toBe(200)
  await expect.poll(machine).toBe('archived')
})

test('nobody starts a session elsewhere while the server with its files is away', {
  timeout: 120_000,
}, async () => {
  const { sql } = world.platform.database
  const away = '00000000-0000-7000-8000-000000000000'
  const made = await world.call('POST /sessions', {})
  sessionId = String(made.body.session_id)
  // Its first start would otherwise still be under way on this server.
  await waitUntilReady(world, sessionId)
  await world.call(`POST /sessions/${sessionId}/stop`)
  await expect.poll(statusOf).toBe('stopped')
  await expect.poll(machine).toBe('stopped')
  await sql`update svc.sessions set node_id = ${away} where session_id = ${sessionId}`
  await sql`insert into svc.session_nodes (node_id, seen_at) values (${away}, now() - interval '1 minute')`
  await world.call(`POST /sessions/${sessionId}/start`)
  await expect.poll(statusOf).toBe('failed')
  expect((await world.call(`GET /sessions/${sessionId}`)).body.error).toContain('is away')
})
