import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { killQuietly } from '../faults/database-runner.ts'
import { type GatewayRig, holdsMicrosPerToken, limitMicros, startGatewayRig } from './gateway-rig.ts'

/**
 * The platform's own PostgreSQL ends and is started again by the platform while models answer. Every call that reached a
 * provider has one row, the budget has spent what the rows say, and what is left of it can be spent to the last token.
 */

const streams = process.env.SVC_TEST_LONG === '1' ? 200 : 20
const outputTokens = 50

let rig: GatewayRig
beforeAll(async () => {
  rig = await startGatewayRig()
}, 240_000)
afterAll(() => rig?.stop(), 120_000)

test('a PostgreSQL that ends and comes back during streams loses no call and no reservation', {
  timeout: 240_000,
}, async () => {
  const opened = await Promise.all(Array.from({ length: streams }, () => rig.openStream('slow', outputTokens)))
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]))
  const before = await readPostmasterPid()
  killQuietly(before)
  await Promise.all(opened.map(({ rest }) => rest))
  await expect.poll(readPostmasterPid, { timeout: 60_000 }).not.toBe(before)
  const status = async () => (await rig.openStream('slow', outputTokens)).status
  await expect.poll(status, { timeout: 60_000 }).toBe(200)
  await expect.poll(readForwarded, { timeout: 60_000 }).toBe(rig.upstream.requests.length)
  const ledger = await rig.readLedger()
  expect([ledger.ids, ledger.spent]).toEqual([ledger.calls, ledger.micros])
  expect(ledger.leased).toBe(ledger.held)
  // A reservation that nobody gave back would be missing here.
  const left = Math.floor((limitMicros - ledger.micros) / holdsMicrosPerToken)
  const tooMuch = await rig.openStream('slow', left + 1)
  expect([tooMuch.status, tooMuch.code]).toEqual([402, 'budget_exceeded'])
  const everything = await rig.openStream('slow', left)
  expect(everything.status).toBe(200)
  expect(await everything.rest).toBe(true)
})

async function readPostmasterPid(): Promise<number> {
  const text = await readFile(join(rig.dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').catch(() => '')
  return Number(text.split('\n')[0])
}

/** Rows of calls that were passed on; while the database is away there is nothing to count. */
async function readForwarded(): Promise<number> {
  const { forwarded } = await rig.readLedger().catch(() => ({ forwarded: -1 }))
  return forwarded
}
