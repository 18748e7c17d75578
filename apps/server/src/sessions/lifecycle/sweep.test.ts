import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../kernel/ids/index.ts'
import type { Parts } from '../parts.ts'
import { noteForeignTurn } from '../prompts/turns.ts'
import { findSession, noteSession, type SessionRow } from '../store/sessions.ts'
import { type SessionRig, startSessionRig } from '../testing/session-rig.ts'
import { sweep } from './sweep.ts'

type Running = Awaited<ReturnType<SessionRig['addRunning']>>

let rig: SessionRig
let parts: Parts
let stopped: string[]
let isSteady = true
const woken: string[] = []
const running = new Map<string, Running>()
beforeAll(async () => {
  rig = await startSessionRig()
  stopped = []
  const live = {
    ending: new Set<string>(),
    find: (sessionId: string) => running.get(sessionId),
    settled: async () => undefined,
    detach: async (sessionId: string) => void running.delete(sessionId),
    wake: (sessionId: string) => void woken.push(sessionId),
    isStopping: () => false,
  }
  const sandboxes = { stopMachine: async (sessionId: string) => void stopped.push(sessionId) }
  parts = { ...rig.parts, live, sandboxes, signOfLife: { isSteady: () => isSteady } } as unknown as Parts
})
afterAll(() => rig?.stop())

async function addIdle(change: Partial<SessionRow> = {}, machineNode = newId()): Promise<Running> {
  const added = await rig.addRunning()
  const { sessionId } = added.row
  const { db, sql } = rig.kernel.database
  await sql`insert into svc.sandboxes (sandbox_id, account_id, project_id, provider, external_id, node_id, status, sealed_service_key)
    values (${sessionId}, ${rig.accountId}, ${rig.projectId}, 'local', ${`sb${sessionId.replaceAll('-', '').slice(-18)}`}, ${machineNode}, 'active', '')`
  await noteSession(db, sessionId, { idleAt: new Date(0), ...change })
  running.set(sessionId, added)
  return added
}

const statusOf = async ({ row }: Running) => (await findSession(rig.kernel.database.db, row.sessionId))?.status

test('an idle machine is parked; one whose turn still works stays, and one of another server is not touched', async () => {
  const idle = await addIdle()
  const working = await addIdle()
  const elsewhere = await addIdle({ nodeId: newId() })
  await rig.kernel.database.sql`insert into svc.session_nodes (node_id)
    select node_id from svc.sessions where session_id = ${elsewhere.row.sessionId}`
  await noteForeignTurn(parts, working.row, undefined)
  await noteSession(rig.kernel.database.db, working.row.sessionId, { idleAt: new Date(0) })
  working.fake.busy = true
  await sweep(parts)
  expect([await statusOf(idle), await statusOf(working), await statusOf(elsewhere)]).toEqual([
    'stopped',
    'running',
    'running',
  ])
  expect(stopped).toEqual([idle.row.sessionId])
  const { idleAt } = (await findSession(rig.kernel.database.db, working.row.sessionId)) ?? {}
  expect(idleAt?.getTime()).toBeGreaterThan(Date.now())
})

test('sessions of a server that is away are parked and say so; not by a server that was away itself', async () => {
  const abandoned = await addIdle({ nodeId: newId(), idleAt: null })
  const starting = await addIdle({ nodeId: newId(), idleAt: null, status: 'provisioning' })
  isSteady = false
  await sweep(parts)
  expect(await statusOf(abandoned)).toBe('running')
  isSteady = true
  await sweep(parts)
  expect(await findSession(rig.kernel.database.db, abandoned.row.sessionId)).toMatchObject({
    status: 'stopped',
    error: expect.stringContaining('is away'),
  })
  expect(stopped).not.toContain(abandoned.row.sessionId)
  expect(await statusOf(starting)).toBe('stopped')
})

test('what another server asked for while nobody here heard of it is done by the next sweep', async () => {
  const { nodeId } = parts
  const parked = await addIdle({ nodeId, status: 'stopped', idleAt: null }, nodeId)
  const ending = await addIdle({ nodeId, status: 'stopped', idleAt: null }, nodeId)
  parts.live.ending.add(ending.row.sessionId)
  const restarted = await addIdle({ nodeId, status: 'provisioning', operationId: newId(), idleAt: null }, nodeId)
  const booted = await addIdle({ nodeId, status: 'provisioning', idleAt: null }, nodeId)
  await sweep(parts)
  expect(stopped).toContain(parked.row.sessionId)
  expect(stopped).not.toContain(ending.row.sessionId)
  // The machine of a restart ends before the session is woken; one that just came up by its own boot stays.
  expect(stopped).toContain(restarted.row.sessionId)
  expect(stopped).not.toContain(booted.row.sessionId)
  expect(woken).toEqual(expect.arrayContaining([restarted.row.sessionId, booted.row.sessionId]))
})
