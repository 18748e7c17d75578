import { randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../apps/server/src/kernel/database/index.ts'
import { createTestDatabase } from '../../apps/server/src/kernel/database/testing.ts'
import { newMessageId } from '../sessions/session-world.ts'
import { createPerson, type Person } from '../support/people.ts'
import { buildPlatform, type RunningPlatform, runPlatform } from './platform-runner.ts'

/**
 * The server is killed at any moment of a session's life: while its machine is made, while a prompt is delivered, in the
 * middle of a turn. Every prompt that was acknowledged is delivered once; one that was cut off says so and is not run again.
 */

const rounds = process.env.SVC_TEST_LONG === '1' ? 20 : 2
const seed = Number(process.env.SVC_TEST_SEED ?? randomInt(2 ** 31))
/** A cold boot and a turn take about this long; kills fall anywhere in it, and a little after. */
const spanMs = 9_000

type Json = Record<string, unknown>

let script: string
let database: Database
let dataDir: string
let platform: RunningPlatform
let person: Person

beforeAll(async () => {
  script = await buildPlatform()
  database = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'svc-kill-'))
  platform = await start()
  person = await createPerson({ database, dataDir })
}, 240_000)

afterAll(async () => {
  await platform?.stop()
  await database?.close()
  await rm(dataDir, { recursive: true, force: true })
})

const start = () => runPlatform(script, { SVC_DATA_DIR: dataDir, DATABASE_URL: database.connectionString })

test(`${rounds} kills: no session lost, no prompt lost, none run twice (seed ${seed})`, {
  timeout: 240_000 + rounds * 120_000,
}, async () => {
  const random = createRandom(seed)
  const project = await call('POST /v1/projects/provision', { name: 'Kill', idempotency_key: 'kill' })
  const base = `/v1/projects/${project.project_id}/sessions`
  const made = await call(`POST ${base}`, {})
  const at = `${base}/${made.session_id}`
  const acknowledged: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const killing = (async () => {
      await sleep(random() * spanMs)
      await platform.kill()
    })()
    for (let index = 0; index < 2; index += 1) {
      const name = `r${round}-${index}`
      const sent = await tryCall(`POST ${at}/prompts`, prompt(name))
      if (sent?.prompt_id) acknowledged.push(String(sent.prompt_id))
      await sleep(random() * 500)
    }
    await killing
    platform = await start()
    await waitUntilIdle(at)
  }

  const turns = await database.sql<{ promptId: string; endReason: string }[]>`
    select prompt_id as "promptId", end_reason as "endReason" from svc.session_turns
    where prompt_id is not null and end_reason <> 'undelivered'`
  const delivered = turns.map(({ promptId }) => promptId)
  expect(new Set(delivered).size, 'a prompt had two turns').toBe(delivered.length)
  for (const promptId of acknowledged) expect(delivered).toContain(promptId)

  await call(`POST ${at}/prompts`, prompt('end', 'run cat log.txt || true'))
  await waitUntilIdle(at)
  const lines = (await readLastOutput(at)).split('\n').filter(Boolean)
  expect(new Set(lines).size, `run twice: ${lines}`).toBe(lines.length)
  const completed = turns.filter(({ endReason }) => endReason === 'completed').length
  expect(lines.length).toBeGreaterThanOrEqual(completed)

  const [log] = await database.sql<{ last: string; rows: string; first: string }[]>`
    select max(seq) as last, min(seq) as first, count(*) as rows from svc.session_events`
  expect(log?.rows).toBe(log?.last)
  expect(Number(log?.first)).toBe(1)
})

function prompt(name: string, line = `run echo ${name} >> log.txt`): Json {
  return {
    client_message_id: name,
    message_id: newMessageId(),
    parts: [{ type: 'text', text: `Go.\n\`\`\`script\n${line}\nfinish ${name}\n\`\`\`\n` }],
  }
}

async function readLastOutput(at: string): Promise<string> {
  const { messages } = await call(`GET ${at}/messages`)
  const tools = (messages as { parts: { type: string; state?: { output?: string } }[] }[])
    .flatMap(({ parts }) => parts)
    .filter(({ type }) => type === 'tool')
  return tools.at(-1)?.state?.output ?? ''
}

/** Nothing waits and nothing runs; a session whose boot failed tells why. */
async function waitUntilIdle(at: string): Promise<void> {
  const deadline = Date.now() + 110_000
  for (;;) {
    const [turn, prompts, started] = await Promise.all([
      call(`GET ${at}/turn`),
      call(`GET ${at}/prompts`),
      call(`POST ${at}/start?wait_ms=0`),
    ])
    if (started.stage === 'failed') throw new Error(`the session failed: ${JSON.stringify(started.failure)}`)
    const isIdle = (turn.turns as unknown[]).length === 0 && (prompts.prompts as unknown[]).length === 0
    if (isIdle && started.stage === 'ready') return
    if (Date.now() > deadline) throw new Error(`never idle: ${JSON.stringify({ turn, prompts, started })}`)
    await sleep(300)
  }
}

async function call(route: string, body?: Json): Promise<Json> {
  const [method = 'GET', path = ''] = route.split(' ')
  const response = await fetch(`${platform.url}${path}`, {
    method,
    headers: { ...person.headers, 'idempotency-key': randomUUID() },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answered = (await response.json()) as Json
  if (response.status >= 300) throw new Error(`${route} answered ${response.status}: ${JSON.stringify(answered)}`)
  return answered
}

/** Undefined when the server died before it answered. */
async function tryCall(route: string, body: Json): Promise<Json | undefined> {
  return call(route, body).catch(() => undefined)
}

function createRandom(from: number): () => number {
  let state = from
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
