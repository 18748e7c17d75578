import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPerson, type Person } from '../../../../../../tests/support/people.ts'
import { systemClock } from '../../../kernel/clock/index.ts'
import { startEvents } from '../../../kernel/events/index.ts'
import { createLogger, createMemoryWriter } from '../../../kernel/log/index.ts'
import { startFakeCatalog } from '../../testing/fake-catalog.ts'
import { type GatewayWorld, startGatewayWorld } from '../../testing/gateway-world.ts'
import { createRefreshedModels } from '../refreshed-models.ts'

let source: Awaited<ReturnType<typeof startFakeCatalog>>
let world: GatewayWorld
let operator: Person
beforeAll(async () => {
  source = await startFakeCatalog()
  const catalog = { 'openai/of-the-file': { cost: { input: 1, output: 1 }, context: 5_000 } }
  world = await startGatewayWorld({ catalog }, { SVC_MODEL_CATALOG_URL: `${source.url}?key=hidden` })
  operator = await createPerson(world.world.platform, { operator: true })
  await world.own('POST /secrets', { name: 'OPENAI_API_KEY', value: 'sk-of-the-project' })
})
afterAll(async () => {
  await world?.stop()
  await source?.stop()
})

const messages = [{ role: 'user', content: 'hi' }]
const limit = { context: 64_000, output: 8_000 }
const entry = (input: number, output: number, more: object = {}) => ({
  ...{ name: 'A new model', tool_call: true, reasoning: false, limit, release_date: '2026-11-01' },
  modalities: { input: ['text', 'image'], output: ['text'] },
  cost: { input, output },
  ...more,
})
const openai = (models: Record<string, unknown>) => ({ openai: { id: 'openai', name: 'OpenAI', models } })
const refresh = () => world.call(operator, 'POST /v1/operator/catalog/refresh')
const read = async () => (await world.call(operator, 'GET /v1/operator/catalog')).body
const models = async () => (await world.own('GET /llm-catalog')).body.models

/** What a call of a model cost, by the log. */
async function ask(model: string) {
  const { status, headers } = await world.chat({ model, messages })
  expect(status).toBe(200)
  const log = await world.own(`GET /gateway/logs/${headers.get('x-svc-request-id')}`)
  return { cost: log.body.provider_cost, version: log.body.price_version }
}

test('before anything is fetched, the bundled snapshot counts, and the answer says how to go on', async () => {
  expect(await read()).toMatchObject({ models: 0, refreshed_at: null, last_refresh: null, schedule: 'off' })
  const failed = await refresh()
  expect([failed.status, failed.body.code]).toEqual([502, 'catalog_unusable'])
  expect(failed.body.error).toContain('status 404')
  expect(failed.body.next).toContain('SVC_MODEL_CATALOG_URL')
  const state = await read()
  expect(state).toMatchObject({ refreshed_at: null, source: source.url })
  expect(state.last_refresh).toMatchObject({ ok: false, problem: failed.body.error, added: 0 })
  expect((await models())['openai/gpt-4o']).toMatchObject({ provider: 'openai' })
})

test('what is fetched is offered with its limits and price, the same again changes nothing, and a person may not', async () => {
  source.serve(
    openai({ 'brand-new': entry(2, 8), 'of-the-file': entry(50, 50), broken: entry(-1, 1), 'gpt-4o': entry(0, 0) }),
  )
  const person = await createPerson(world.world.platform)
  expect((await world.call(person, 'POST /v1/operator/catalog/refresh')).status).toBe(403)
  const first = await refresh()
  expect(first.body.last_refresh).toMatchObject({ ok: true, added: 2, changed: 0, repriced: 2, gone: 0, left_out: 2 })
  expect(first.body.last_refresh.left_out_entries.map((one: { entry: string }) => one.entry).sort()).toEqual([
    'openai/broken',
    'openai/gpt-4o',
  ])
  await expect
    .poll(async () => (await models())['openai/brand-new'])
    .toMatchObject({
      ...{ name: 'A new model', limit, attachment: true, release_date: '2026-11-01' },
      cost: { input: 2, output: 8 },
      modalities: { input: ['text', 'image'], output: ['text'] },
    })
  const listed = await models()
  expect(listed['openai/of-the-file']).toMatchObject({ cost: { input: 1, output: 1 }, limit: { context: 5_000 } })
  expect(listed['openai/gpt-4o'].cost.input).toBeGreaterThan(0)
  const again = await refresh()
  expect(again.body.last_refresh).toMatchObject({ added: 0, changed: 0, repriced: 0, gone: 0, left_out: 2 })
})

test('a new price counts for the calls after it; those before keep theirs and its version', async () => {
  const before = await ask('openai/brand-new')
  expect(before.version).toMatch(/^catalog@20/)
  source.serve(openai({ 'brand-new': entry(20, 80) }))
  const changed = await refresh()
  expect(changed.body.last_refresh).toMatchObject({ added: 0, changed: 1, repriced: 1, gone: 1 })
  await expect.poll(async () => (await models())['openai/brand-new'].cost.input).toBe(20)
  const after = await ask('openai/brand-new')
  expect(after.cost).toBeCloseTo(before.cost * 10)
  expect(after.version > before.version).toBe(true)
  const { body } = await world.own('GET /gateway/logs?limit=2')
  expect(body.logs.map((row: { provider_cost: number }) => row.provider_cost)).toEqual([after.cost, before.cost])
  const versions = await world.world.platform.database.sql`
    select 'catalog@' || to_char(effective_from at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as version
    from svc.catalog_prices where model = 'brand-new' order by effective_from`
  expect(versions.map(({ version }) => version)).toEqual([before.version, after.version])
})

test('a model that left the catalog is offered no more, and served at its last price to whoever names it', async () => {
  source.serve(openai({ other: entry(1, 1) }))
  expect((await refresh()).body.last_refresh).toMatchObject({ added: 1, gone: 1 })
  await expect.poll(async () => Object.keys(await models())).not.toContain('openai/brand-new')
  expect((await ask('openai/brand-new')).cost).toBeGreaterThan(0)
  await world.own('PUT /model-defaults', { scope: 'project', model: 'openai/brand-new' })
  expect((await models())['openai/brand-new'].cost).toMatchObject({ input: 20 })
  source.serve(openai({ other: entry(1, 1), 'brand-new': entry(20, 80) }))
  expect((await refresh()).body.last_refresh).toMatchObject({ added: 0, changed: 1, repriced: 0, gone: 0 })
})

test('an unusable document changes nothing, two refreshes at once agree, and every one is in the audit log', async () => {
  source.serve('<html></html>')
  expect((await refresh()).body.code).toBe('catalog_unusable')
  expect((await models())['openai/brand-new'].cost).toMatchObject({ input: 20 })
  source.serve(openai({ other: entry(1, 1), 'brand-new': entry(20, 80), third: entry(3, 3) }))
  const both = await Promise.all([refresh(), refresh()])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  const added = await world.world.platform.database.sql`
    select outcome, metadata->>'added' as added, metadata::text as told from svc.audit_events
    where action = 'operator.catalog.refresh' order by occurred_at, added desc`
  expect(added.slice(-3).map(({ outcome, added: count }) => [outcome, count])).toEqual([
    ['failure', null],
    ['success', '1'],
    ['success', '0'],
  ])
  expect(JSON.stringify(added)).not.toContain('hidden')
})

test('what was fetched is there after a start, and what another node fetches from then on', async () => {
  const { database } = world.world.platform
  const log = createLogger({ writer: createMemoryWriter() })
  const events = await startEvents({ sql: database.sql, log, clock: systemClock })
  const started = createRefreshedModels({ database, events, clock: systemClock, log })
  await started.load()
  expect([started.current().modelCount, started.current().providerCount]).toEqual([3, 1])
  source.serve(openai({ fourth: entry(4, 4) }))
  await refresh()
  await expect.poll(() => started.current().list('openai')).toEqual(['fourth'])
  expect(started.current().find('openai', 'brand-new')).toMatchObject({ isGone: true, price: { input: 20 } })
  await events.stop()
})
