import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { addAccount, addProject } from '../../access/testing/test-access.ts'
import { createTestDatabase } from '../../kernel/database/testing.ts'
import { newId } from '../../kernel/ids/index.ts'
import { createLogger, createMemoryWriter } from '../../kernel/log/index.ts'
import type { Budget } from '../resolve.ts'
import { makeEntry } from '../testing/make-entry.ts'
import type { Reservation } from './budget-leases.ts'
import type { BegunCall, CallEntry } from './call-entry.ts'
import { createLedger } from './ledger.ts'
import { periodStart } from './periods.ts'
import type { Transact } from './store/write-calls.ts'

const database = await createTestDatabase()
afterAll(() => database.close())
const accountId = await addAccount(database)
const projectId = await addProject(database, accountId)
const { sql } = database
const log = createLogger({ writer: createMemoryWriter() })

async function addBudget(limitMicros: number): Promise<Budget> {
  const budgetId = newId()
  await sql`
    insert into svc.model_budgets (budget_id, account_id, project_id, scope, subject, limit_micros, period, action)
    values (${budgetId}, ${accountId}, ${projectId}, 'session', ${budgetId}, ${limitMicros}, 'month', 'block')`
  return { budgetId, scope: 'session', subject: budgetId, limitMicros, period: 'month', action: 'block' }
}

function makeCall(budget: Budget, micros: number, change: Partial<CallEntry> = {}): BegunCall {
  const now = new Date()
  const charge = { budget_id: budget.budgetId, period_start: periodStart('month', now).toISOString(), is_held: true }
  const entry = makeEntry({
    account_id: accountId,
    project_id: projectId,
    status: 502,
    ok: false,
    error_code: 'gateway_error',
    provider_micros: micros,
    billing_mode: 'none',
    created_at: now.toISOString(),
    ...change,
  })
  return { entry, charges: [charge] }
}

async function openNode(dataDir: string, transact: Transact = database.transact) {
  const stops: (() => void | Promise<void>)[] = []
  const ledger = createLedger({ transact, dataDir, log, onStop: (stop) => void stops.push(stop) })
  await ledger.repair()
  const stop = async () => {
    for (const part of stops) await part()
  }
  return { ledger, stop }
}

function held(reserved: Awaited<ReturnType<ReturnType<typeof createLedger>['reserve']>>): Reservation {
  if (!('leases' in reserved)) throw new Error('it did not fit')
  return reserved
}

async function readPeriod(budget: Budget) {
  const [row] = await sql`
    select spent_micros::int as spent, leased_micros::int as leased from svc.model_budget_periods
    where budget_id = ${budget.budgetId}`
  return { spent: row?.spent, leased: row?.leased }
}

test('after a crash every call counts once: settled ones at their cost, others at what they had reserved', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-ledger-'))
  const budget = await addBudget(1_000_000)
  const killed = await openNode(dataDir)
  for (let at = 0; at < 10; at++) {
    const reservation = held(await killed.ledger.reserve([budget], 1_000, new Date()))
    const call = makeCall(budget, 1_000)
    await killed.ledger.begin(call)
    if (at < 6) {
      const entry = { ...call.entry, provider_micros: 300, ok: true, error_code: null }
      killed.ledger.settle({ ...call, entry }, reservation)
    }
    if (at === 3) await killed.ledger.written()
  }
  await new Promise((resolve) => setImmediate(resolve))
  // From here on the process is gone: what it had not written is in its journal alone.
  const next = await openNode(dataDir)
  expect(await readPeriod(budget)).toEqual({ spent: 6 * 300 + 4 * 1_000, leased: 0 })
  const [count] = await sql`
    select count(*)::int as calls, sum(provider_micros)::int as micros from svc.model_calls
    where project_id = ${projectId}`
  expect(count).toEqual({ calls: 10, micros: 6 * 300 + 4 * 1_000 })
  await next.stop()
  const third = await openNode(dataDir)
  expect(await readPeriod(budget)).toEqual({ spent: 6 * 300 + 4 * 1_000, leased: 0 })
  await third.stop()
  await killed.stop()
  expect((await readPeriod(budget)).spent).toBe(6 * 300 + 4 * 1_000)
})

test('a limit that is lowered holds at once, whatever was leased or held under the higher one', async () => {
  const budget = await addBudget(1_000_000)
  const { ledger, stop } = await openNode(await mkdtemp(join(tmpdir(), 'svc-ledger-')))
  const before = held(await ledger.reserve([budget], 5_000, new Date()))
  const lower = { ...budget, limitMicros: 8_000 }
  await sql`update svc.model_budgets set limit_micros = 8000 where budget_id = ${budget.budgetId}`
  const tooMuch = await ledger.reserve([lower], 5_000, new Date())
  expect(tooMuch).toMatchObject({ left: 3_000, budget: { limitMicros: 8_000 } })
  ledger.release(before)
  const fitting = held(await ledger.reserve([lower], 5_000, new Date()))
  expect('left' in (await ledger.reserve([lower], 5_000, new Date()))).toBe(true)
  ledger.release(fitting)
  await sql`update svc.model_budgets set limit_micros = 20000 where budget_id = ${budget.budgetId}`
  const raised = { ...budget, limitMicros: 20_000 }
  ledger.release(held(await ledger.reserve([raised], 15_000, new Date())))
  await sql`update svc.model_budgets set limit_micros = 1 where budget_id = ${budget.budgetId}`
  expect('left' in (await ledger.reserve([{ ...budget, limitMicros: 1 }], 15_000, new Date()))).toBe(true)
  await stop()
  expect(await readPeriod(budget)).toEqual({ spent: 0, leased: 0 })
})

test('two nodes share one budget and together never pass it', async () => {
  const budget = await addBudget(10_000)
  const nodes = await Promise.all([1, 2].map(async () => openNode(await mkdtemp(join(tmpdir(), 'svc-ledger-')))))
  const reserved = await Promise.all(
    Array.from({ length: 100 }, (_, at) => nodes[at % 2]?.ledger.reserve([budget], 700, new Date())),
  )
  const fitting = reserved.filter((one) => one !== undefined && 'leases' in one)
  expect(fitting.length * 700).toBeLessThanOrEqual(10_000)
  expect(fitting.length).toBeGreaterThanOrEqual(12)
  for (const node of nodes) await node.stop()
  expect(await readPeriod(budget)).toEqual({ spent: 0, leased: 0 })
})

test('calls that are settled during a write are written together by the next one, and whoever asks sees them all', async () => {
  let writes = 0
  let hasBegun: () => void = () => undefined
  let goOn: () => void = () => undefined
  const begun = new Promise<void>((resolve) => {
    hasBegun = resolve
  })
  const released = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const slow: Transact = async (actor, work) => {
    writes += 1
    hasBegun()
    await released
    return database.transact(actor, work)
  }
  let transact: Transact = database.transact
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-ledger-'))
  const node = await openNode(dataDir, (actor, work) => transact(actor, work))
  transact = slow
  const sessionId = newId()
  const settle = () => {
    const entry = makeEntry({ account_id: accountId, project_id: projectId, session_id: sessionId })
    node.ledger.settle({ entry, charges: [] }, undefined)
  }
  settle()
  const first = node.ledger.written()
  await begun
  for (let at = 0; at < 3; at++) settle()
  const all = node.ledger.written()
  goOn()
  await Promise.all([first, all])
  expect(writes).toBe(2)
  const [count] = await sql`select count(*)::int as calls from svc.model_calls where session_id = ${sessionId}`
  expect(count).toEqual({ calls: 4 })
  await node.stop()
})
