import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { serveScripted } from '../../apps/server/src/models/testing/serve-scripted.ts'
import { tour } from '../../examples/official-clients.ts'
import {
  type Json,
  type SessionWorld,
  scriptOf,
  send,
  startSessionWorld,
  waitUntilIdle,
} from '../sessions/session-world.ts'

/** The real runtime and the official clients through the gateway, on a model that has a price. */

let upstream: Awaited<ReturnType<typeof serveScripted>>
let world: SessionWorld
let folder: string
beforeAll(async () => {
  upstream = await serveScripted()
  folder = await mkdtemp(join(tmpdir(), 'svc-models-'))
  const models = { priced: { provider: 'own', model: 'scripted', cost: { input: 3, output: 15 }, output: 4_000 } }
  const file = { providers: { own: { base_url: upstream.url } }, models, default_model: 'priced', local: false }
  await writeFile(join(folder, 'models.json'), JSON.stringify(file))
  world = await startSessionWorld({ SVC_MODELS_FILE: join(folder, 'models.json') })
}, 120_000)
afterAll(async () => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  await world?.stop()
  await upstream?.stop()
  await rm(folder, { recursive: true, force: true })
})

const micros = (usd: unknown) => Math.round(Number(usd) * 1e6)
const sum = (rows: Json[], field: string) => rows.reduce((all, row) => all + micros(row[field]), 0)

test('what a session of the real runtime cost is the same in the log, the session and the account', {
  timeout: 240_000,
}, async () => {
  const text = scriptOf('say I begin.', 'run echo hello', 'finish Done.')
  const made = await world.call('POST /sessions', { pending_prompt: { text } })
  expect(made.status).toBe(201)
  const sessionId = String(made.body.session_id)
  await waitUntilIdle(world, sessionId, 180_000)

  const readRows = async () => {
    const { logs } = (await world.call('GET /gateway/logs?limit=100')).body as { logs: Json[] }
    return logs.filter((row) => row.session_id === sessionId)
  }
  const query = `project_id=${world.projectId}`
  const readCosts = async () => {
    const rows = await readRows()
    const own = (await send(world.url, world.owner, `GET /v1/usage/session-costs/${sessionId}?${query}`)).body
    const account = (await send(world.url, world.owner, 'GET /v1/usage/session-costs')).body
    const [listed] = (account.sessions as Json[]).filter((row) => row.session_id === sessionId)
    const figures = (await world.call('GET /gateway/overview')).body
    return {
      calls: { asked: upstream.requests.length, logged: rows.length, listed: listed?.request_count },
      micros: {
        logged: sum(rows, 'total_cost'),
        own: micros(own.total_cost),
        entries: sum(own.ledger_entries as Json[], 'cost'),
        listed: micros(listed?.total_cost),
        overview: micros(figures.total_cost),
      },
    }
  }
  // The runtime looks for a title beside the turn, and may begin that when the turn is over.
  const differ = async () => Object.values(await readCosts()).filter((same) => new Set(Object.values(same)).size > 1)
  await expect.poll(differ).toEqual([])
  const { calls, micros: cost } = await readCosts()
  expect(calls.logged).toBeGreaterThanOrEqual(2)
  expect(cost.logged).toBeGreaterThan(0)
})

test('the example with the official clients runs, and its calls are in the log with their cost', async () => {
  vi.stubEnv('SVC_URL', world.url)
  vi.stubEnv('SVC_TOKEN', world.owner.accessToken)
  vi.spyOn(console, 'log').mockReturnValue(undefined)
  const { calls, cost } = await tour('priced')
  expect(calls).toBe(5)
  expect(cost).toBeGreaterThan(0)
})
