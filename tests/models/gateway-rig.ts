import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { connectDatabase, type Database } from '../../apps/server/src/kernel/database/index.ts'
import { startFakeUpstream } from '../../apps/server/src/models/testing/fake-upstream.ts'
import { makePlace } from '../faults/database-runner.ts'
import { buildPlatform, type RunningPlatform, runPlatform } from '../faults/platform-runner.ts'
import { createPerson } from '../support/people.ts'

/** Of the price below: what a call holds for each token of its output limit. */
export const holdsMicrosPerToken = 120
export const limitMicros = 100_000_000

/**
 * The platform as a process of its own, whose models answer slowly, with a budget and a key. Without a database it has
 * its own PostgreSQL.
 */
export async function startGatewayRig(given?: Database) {
  const [script, place, upstream] = await Promise.all([buildPlatform(), makePlace(), startFakeUpstream()])
  const dataDir = place.path
  const modelsFile = `${dataDir}.models.json`
  const cost = { input: 0, output: 100 }
  const named = Object.fromEntries(['endless', 'slow', 'silent'].map((name) => [name, { provider: 'fake', cost }]))
  // Of what goes in every byte may be a token: the same price for the longest input of a call that has no output.
  const vectors = { provider: 'fake', model: 'silent', cost: { input: 100, output: 0, cache_read: 0, cache_write: 0 } }
  const models = { ...named, vectors }
  const providers = { fake: { base_url: upstream.url } }
  await writeFile(modelsFile, JSON.stringify({ providers, models, markup: 1.2, local: false }))
  const own = given === undefined ? {} : { DATABASE_URL: given.connectionString }
  const start = () => runPlatform(script, { SVC_DATA_DIR: dataDir, SVC_MODELS_FILE: modelsFile, ...own })
  let platform: RunningPlatform = await start()
  const embedded = { host: join(dataDir, 'postgres', 'socket'), port: 5432, user: 'postgres', database: 'postgres' }
  const connected = given === undefined ? connectDatabase(embedded, { maxConnections: 2 }) : undefined
  const database = given ?? connected
  if (!database) throw new Error('no database')
  const person = await createPerson({ database, dataDir })

  async function ask(method: string, path: string, body: object) {
    const sent = { method, headers: person.headers, body: JSON.stringify(body) }
    const response = await fetch(`${platform.url}/v1/projects/${path}`, sent)
    const document: unknown = await response.json()
    expect(response.ok, JSON.stringify(document)).toBe(true)
    return Object(document)
  }
  const projectId: string = (await ask('POST', 'provision', { name: 'killed' })).project_id
  const setLimit = (micros: number) =>
    ask('PUT', `${projectId}/gateway/budgets`, { scope: 'project', limit_usd: micros / 1e6 })
  await setLimit(limitMicros)
  const key: string = (await ask('POST', `${projectId}/gateway/keys`, { name: 'killed' })).secret_key

  /** Resolves with the status of a call by any endpoint; undefined when the server went away before it answered. */
  async function call(path: string, body: object): Promise<number | undefined> {
    try {
      const response = await fetch(`${platform.url}/v1/llm/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      await response.text().catch(() => undefined)
      return response.status
    } catch {
      // The kill took the connection with it.
      return undefined
    }
  }

  /** Resolves with the status once the first byte is there; `rest` with whether the stream came to its end. */
  async function openStream(model: string, max_tokens: number) {
    const messages = [{ role: 'user', content: 'hi' }]
    const response = await fetch(`${platform.url}/v1/llm/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, max_tokens, stream: true }),
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
    if (!database) throw new Error('no database')
    const { sql } = database
    const [rows] = await sql<{ calls: number; forwarded: number; ids: number; micros: number; whole: number }[]>`
      select count(*)::int as calls, count(*) filter (where resolved_model <> '')::int as forwarded, count(distinct call_id)::int as ids,
        coalesce(sum(svc_micros + provider_micros), 0)::int as micros, count(*) filter (where ok)::int as whole
      from svc.model_calls where project_id = ${projectId}`
    const [period] = await sql`
      select spent_micros::int as spent, leased_micros::int as leased from svc.model_budget_periods`
    const [held] = await sql`select coalesce(sum(micros), 0)::int as micros from svc.model_budget_leases`
    if (!rows) throw new Error('a count has no row')
    return { ...rows, spent: period?.spent, leased: period?.leased, held: held?.micros }
  }

  return {
    dataDir,
    upstream,
    openStream,
    call,
    setLimit,
    readLedger,
    kill: () => platform.kill(),
    halt: () => platform.stop(),
    async restart() {
      platform = await start()
    },
    async stop() {
      await connected?.disconnect()
      await platform.stop()
      await upstream.stop()
      await place.remove()
      await rm(modelsFile, { force: true })
    },
  }
}

export type GatewayRig = Awaited<ReturnType<typeof startGatewayRig>>
