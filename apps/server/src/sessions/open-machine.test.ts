import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemActor } from '../kernel/actor.ts'
import { problem } from '../kernel/http/index.ts'
import { newId } from '../kernel/ids/index.ts'
import { anonymousPrincipal, type Principal } from '../kernel/principal.ts'
import { judge, readViewer } from './access.ts'
import { commitPush } from './lifecycle/commit-push.ts'
import { openMachine } from './open-machine.ts'
import type { Parts } from './parts.ts'
import { listSessionPage } from './store/list-page.ts'
import { changeSession, type SessionRow } from './store/sessions.ts'
import { type SessionRig, startSessionRig } from './testing/session-rig.ts'

const ownerId = newId()
let rig: SessionRig
let own: SessionRow
let sibling: SessionRow
let parts: Parts
beforeAll(async () => {
  rig = await startSessionRig()
  const { db } = rig.kernel.database
  const rows = [await rig.addRunning(), await rig.addRunning()].map(({ row }) =>
    changeSession(db, row.sessionId, { ownerId, ownerType: 'user', visibility: 'private' }),
  )
  const [first, second] = await Promise.all(rows)
  if (!first || !second) throw new Error('the sessions were not written')
  own = first
  sibling = second
  // A machine is named like its session here; grants are what the principal's list says.
  const reached: Pick<Parts, 'sandboxes' | 'refusal'> = {
    sandboxes: {
      findByExternalId: async (sandboxId: string) => ({ sandboxId, status: 'active' }),
      findMachine: async (sandboxId: string) => ({ sandboxId, status: 'active' }),
    } as never,
    refusal: async ({ agentGrant }, permission) =>
      agentGrant === undefined || agentGrant.svc_cli.includes(permission) ? undefined : problem('forbidden'),
  }
  parts = { ...rig.parts, ...reached }
})
afterAll(() => rig?.stop())

function agentOf(row: SessionRow, ...svc_cli: string[]): Principal {
  return {
    ...anonymousPrincipal(systemActor),
    kind: 'user',
    id: ownerId,
    authType: 'pat',
    sessionId: row.sessionId,
    agentGrant: { agent: 'svc', connectors: [], svc_cli, env: [] },
  }
}

const tryOpen = (principal: Principal, row: SessionRow) =>
  openMachine(parts, principal, row.sessionId).then(
    ({ sessionId }) => sessionId,
    ({ code }) => code,
  )

const starts = () => agentOf(own, 'project.session.read', 'project.session.start')
const change = (row: SessionRow, how: Parameters<typeof changeSession>[2]) =>
  changeSession(rig.kernel.database.db, row.sessionId, how)

test('an agent never gets into what only the person it works for may open', async () => {
  expect(await tryOpen(starts(), sibling)).toBe('not_found')
  await change(sibling, { visibility: 'restricted', sharedMembers: [ownerId], ownerId: newId() })
  expect(await tryOpen(starts(), sibling)).toBe('not_found')
  await change(sibling, { visibility: 'project', sharedMembers: [], ownerId, origin: 'backend' })
  expect(await tryOpen(starts(), sibling)).toBe('not_found')
  await change(sibling, { visibility: 'private', origin: 'user' })
})

test('an agent gets into its own machine, and into a shared one or one it started only where it could start it', async () => {
  const reader = agentOf(own, 'project.session.read')
  expect(await tryOpen(reader, own)).toBe(own.sessionId)
  for (const reached of [{ visibility: 'project' }, { visibility: 'private', spawnedBy: own.sessionId }] as const) {
    await change(sibling, reached)
    expect(await tryOpen(reader, sibling)).toBe('forbidden')
    expect(await tryOpen(starts(), sibling)).toBe(sibling.sessionId)
  }
  await change(sibling, { visibility: 'private', spawnedBy: null })
})

test('the list of an agent has what it may open and nothing else', async () => {
  const { db } = rig.kernel.database
  const list = async (principal: Principal) => {
    const viewer = await readViewer(parts, principal, rig)
    const page = { projectId: rig.projectId, scope: 'project', before: undefined, limit: 10 } as const
    return (await listSessionPage(db, viewer, page)).map(({ sessionId }) => sessionId).sort()
  }
  const both = [own.sessionId, sibling.sessionId].sort()
  expect(await list(starts())).toEqual([own.sessionId])
  await change(sibling, { spawnedBy: own.sessionId })
  expect(await list(starts())).toEqual(both)
  await change(sibling, { spawnedBy: null, visibility: 'project' })
  expect(await list(starts())).toEqual(both)
  await change(sibling, { visibility: 'private' })
  expect(await list({ ...starts(), agentGrant: undefined, sessionId: undefined })).toEqual(both)
})

test('the person themselves gets into both, somebody else into none', async () => {
  const { agentGrant: _grant, sessionId: _session, ...rest } = agentOf(own)
  const person: Principal = { ...rest, agentGrant: undefined, sessionId: undefined }
  expect(await tryOpen(person, sibling)).toBe(sibling.sessionId)
  expect(await tryOpen({ ...person, id: newId() }, sibling)).toBe('not_found')
})

test('whoever reaches another server than the one with the machine is told so', async () => {
  const person: Principal = { ...agentOf(own), agentGrant: undefined, sessionId: undefined }
  expect(await openMachine(parts, person, own.sessionId)).toMatchObject({ isActive: true, isElsewhere: false })
  const there = { ...parts, nodeId: newId() }
  await change(own, { nodeId: parts.nodeId })
  expect(await openMachine(there, person, own.sessionId)).toMatchObject({ isActive: true, isElsewhere: true })
  const commit = () =>
    commitPush(there, { principal: person, params: own, body: {}, projectId: rig.projectId } as never)
  await expect(commit()).rejects.toMatchObject({
    code: 'sandbox_unreachable',
    message: expect.stringContaining('on another server'),
  })
})

test('an agent shares its own session and none of its owner’s others, and ends only its own work', () => {
  const viewer = { id: ownerId, groupIds: [], isManager: false, isAgent: true, sessionId: own.sessionId }
  const open = { canOpen: true, canManageSharing: true, canManageLifecycle: true }
  expect(judge(viewer, own)).toMatchObject(open)
  const shared: SessionRow = { ...sibling, visibility: 'project' }
  expect(judge(viewer, shared)).toMatchObject({ canOpen: true, canManageSharing: false, canManageLifecycle: false })
  expect(judge(viewer, { ...sibling, spawnedBy: own.sessionId })).toMatchObject({ ...open, canManageSharing: false })
  expect(judge({ ...viewer, isAgent: false, sessionId: undefined }, sibling)).toMatchObject(open)
})
