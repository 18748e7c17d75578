import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../../kernel/ids/index.ts'
import type { Parts } from '../parts.ts'
import { noteNode } from '../store/nodes.ts'
import { findSession, noteSession, type SessionRow } from '../store/sessions.ts'
import { type SessionRig, startSessionRig } from '../testing/session-rig.ts'
import { claimBoot, requestBoot } from './claim-boot.ts'

/** Two servers on one database, with two machines each. */

let rig: SessionRig
let here: Parts
let there: Parts
beforeAll(async () => {
  rig = await startSessionRig()
  const kernel = { ...rig.kernel, config: { ...rig.kernel.config, maxMachines: 2 } }
  const live = { wake: () => undefined, isStopping: () => false }
  const serve = () => ({ ...rig.parts, kernel, live, nodeId: newId() }) as unknown as Parts
  here = serve()
  there = serve()
})
afterAll(() => rig?.stop())
beforeEach(async () => {
  for (const { nodeId } of [here, there]) await noteNode(rig.kernel.database.sql, nodeId)
  await rig.kernel.database.sql`delete from svc.sessions`
})

async function add(change: Partial<SessionRow>, count = 1): Promise<string[]> {
  const made = Array.from({ length: count }, async () => {
    const { row } = await rig.addRunning()
    await noteSession(rig.kernel.database.db, row.sessionId, change)
    return row.sessionId
  })
  return Promise.all(made)
}

const claimAll = (parts: readonly Parts[], ids: readonly string[]) =>
  Promise.all(ids.flatMap((id) => parts.map((one) => claimBoot(one, id))))

async function countBooting({ nodeId }: Parts): Promise<number> {
  const { sql } = rig.kernel.database
  const rows = await sql`select 1 from svc.sessions where node_id = ${nodeId} and status in ('provisioning', 'running')`
  return rows.length
}

const statusOf = async (id: string) => (await findSession(rig.kernel.database.db, id))?.status

test('starts asked for at once on both servers take as many machines as each has, and the others wait', async () => {
  const ids = await add({ status: 'stopped' }, 8)
  await Promise.all(ids.map((id, index) => requestBoot(index % 2 === 0 ? here : there, id)))
  await claimAll([here, there], ids)
  expect([await countBooting(here), await countBooting(there)]).toEqual([2, 2])
  expect(await Promise.all(ids.map(statusOf))).toEqual(expect.arrayContaining(['queued']))
})

test('what one server has room for is not begun by one that is full', async () => {
  await add({ nodeId: there.nodeId }, 2)
  const ids = await add({ status: 'provisioning' })
  await claimAll([there], ids)
  expect(await countBooting(there)).toBe(2)
  await claimAll([here], ids)
  expect(await countBooting(here)).toBe(1)
})

test('a start that another server was asked for waits where its files are, until a machine is free there', async () => {
  const [running = ''] = await add({ nodeId: there.nodeId }, 2)
  const [parked = ''] = await add({ nodeId: there.nodeId, status: 'stopped' })
  await requestBoot(here, parked)
  expect(await claimBoot(there, parked)).toBeUndefined()
  expect(await statusOf(parked)).toBe('queued')
  await noteSession(rig.kernel.database.db, running, { status: 'stopped' })
  expect(await claimBoot(there, parked)).toMatchObject({ status: 'provisioning', nodeId: there.nodeId })
})

test('a session that restarts keeps the machine it has', async () => {
  const [restarted = ''] = await add({ nodeId: here.nodeId }, 2)
  await noteSession(rig.kernel.database.db, restarted, { status: 'provisioning' })
  expect(await claimBoot(here, restarted)).toMatchObject({ status: 'provisioning' })
})
