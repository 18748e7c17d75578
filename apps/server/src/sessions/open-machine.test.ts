import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemActor } from '../kernel/actor.ts'
import { problem } from '../kernel/http/index.ts'
import { newId } from '../kernel/ids/index.ts'
import { anonymousPrincipal, type Principal } from '../kernel/principal.ts'
import { judge, readViewer } from './access.ts'
import { commitPush } from './lifecycle/commit-push.ts'
import { askMachine, openMachine } from './open-machine.ts'
import type { Parts } from './parts.ts'
import { listSessionPage, opens } from './store/list-page.ts'
import { changeSession, findWarm, type SessionRow } from './store/sessions.ts'
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
  await Promise.all([addMachine(own), addMachine(sibling)])
  // Grants are what the principal's list says.
  const reached: Pick<Parts, 'sandboxes' | 'refusal'> = {
    sandboxes: { findMachine: async (sandboxId: string) => ({ sandboxId, status: 'active' }) } as never,
    refusal: async ({ agentGrant }, permission) =>
      agentGrant === undefined || agentGrant.svc_cli.includes(permission) ? undefined : problem('forbidden'),
  }
  parts = { ...rig.parts, ...reached }
})
afterAll(() => rig?.stop())

/** Named after its session. */
const machineOf = ({ sessionId }: SessionRow) => `sb${sessionId.replaceAll('-', '').slice(-18)}`

async function addMachine(row: SessionRow): Promise<void> {
  const { sessionId, accountId, projectId } = row
  await rig.kernel.database.sql`
    insert into svc.sandboxes
      (sandbox_id, account_id, project_id, provider, external_id, node_id, status, sealed_service_key)
    values (${sessionId}, ${accountId}, ${projectId}, 'local', ${machineOf(row)}, ${newId()}, 'active', '')`
}

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

const personOf = (id: string): Principal => ({ ...agentOf(own), id, agentGrant: undefined, sessionId: undefined })

const tryOpen = (principal: Principal, row: SessionRow) =>
  openMachine(parts, principal, machineOf(row)).then(
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

/** What the list of a caller has, in an order of its own. */
async function list(principal: Principal): Promise<string[]> {
  const viewer = await readViewer(parts, principal, rig)
  const page = { projectId: rig.projectId, scope: 'project', before: undefined, limit: 10 } as const
  return (await listSessionPage(rig.kernel.database.db, viewer, page)).map(({ sessionId }) => sessionId).sort()
}

test('the list of an agent has what it may open and nothing else', async () => {
  const both = [own.sessionId, sibling.sessionId].sort()
  expect(await list(starts())).toEqual([own.sessionId])
  await change(sibling, { spawnedBy: own.sessionId })
  expect(await list(starts())).toEqual(both)
  await change(sibling, { spawnedBy: null, visibility: 'project' })
  expect(await list(starts())).toEqual(both)
  await change(sibling, { visibility: 'private' })
  expect(await list({ ...starts(), agentGrant: undefined, sessionId: undefined })).toEqual(both)
})

test('what an agent started is closed to it as soon as somebody can speak to it who may not open that', async () => {
  const [ann, bob, team, others] = [newId(), newId(), newId(), newId()]
  const priv = { visibility: 'private' as const, sharedMembers: [] as string[], sharedGroups: [] as string[] }
  const everybody = { ...priv, visibility: 'project' as const }
  const some = (sharedMembers: string[], sharedGroups: string[]) => {
    return { visibility: 'restricted' as const, sharedMembers, sharedGroups }
  }
  const cases = [
    [priv, priv, true],
    [priv, some([ann], []), true],
    [everybody, priv, false],
    [everybody, some([ann], [team]), false],
    [everybody, everybody, true],
    [some([ann], []), priv, false],
    [some([ann], []), some([ann, bob], []), true],
    [some([ann, bob], []), some([ann], [team]), false],
    [some([ann], [team]), some([ann], [team, others]), true],
    [some([], [team, others]), some([], [team]), false],
    [some([ann], [team]), everybody, true],
  ] as const
  const { db } = rig.kernel.database
  await change(sibling, { isWarm: true })
  for (const [audience, shared, isOpen] of cases) {
    await change(own, audience)
    await change(sibling, { ...shared, spawnedBy: own.sessionId })
    const label = JSON.stringify({ audience, shared })
    expect(await tryOpen(starts(), sibling), label).toBe(isOpen ? sibling.sessionId : 'not_found')
    expect((await list(starts())).includes(sibling.sessionId), label).toBe(isOpen)
    const whose = { projectId: rig.projectId, ownerId, spawnedBy: own.sessionId, exceptId: undefined }
    const warm = await findWarm(db, { ...whose, isOpen: opens(await readViewer(parts, starts(), rig)) })
    expect(warm?.sessionId, label).toBe(isOpen ? sibling.sessionId : undefined)
    expect(await tryOpen(starts(), own), label).toBe(own.sessionId)
  }
  await change(own, priv)
  await change(sibling, { ...priv, spawnedBy: null, isWarm: false })
})

test('the person themselves gets into both, somebody else into none', async () => {
  expect(await tryOpen(personOf(ownerId), sibling)).toBe(sibling.sessionId)
  expect(await tryOpen(personOf(newId()), sibling)).toBe('not_found')
})

test('a session that is shared with a group opens for its members, until the moment they leave it', async () => {
  const { sql } = rig.kernel.database
  const [memberId, groupId] = [newId(), newId()]
  await sql`insert into svc.users (user_id, email) values (${memberId}, ${`${memberId}@example.com`})`
  await sql`insert into svc.groups (group_id, account_id, name) values (${groupId}, ${rig.accountId}, 'Readers')`
  await sql`insert into svc.group_members (group_id, user_id) values (${groupId}, ${memberId})`
  expect(await tryOpen(personOf(memberId), sibling)).toBe('not_found')
  await change(sibling, { visibility: 'restricted', sharedGroups: [groupId] })
  expect(await tryOpen(personOf(memberId), sibling)).toBe(sibling.sessionId)
  expect(await tryOpen(personOf(newId()), sibling)).toBe('not_found')
  // What was asked ahead for a member answers for nobody else.
  const asked = askMachine(parts, personOf(memberId), machineOf(sibling))
  const stranger = openMachine(parts, personOf(newId()), machineOf(sibling), asked)
  await expect(stranger).rejects.toMatchObject({ code: 'not_found' })
  await sql`delete from svc.group_members where user_id = ${memberId}`
  expect(await tryOpen(personOf(memberId), sibling)).toBe('not_found')
  await change(sibling, { visibility: 'private', sharedGroups: [] })
})

test('a machine that does not run, a deleted session and a machine of nobody are told apart or not there at all', async () => {
  const { sql } = rig.kernel.database
  const { sessionId } = sibling
  await sql`update svc.sandboxes set status = 'stopped' where sandbox_id = ${sessionId}`
  expect(await openMachine(parts, personOf(ownerId), machineOf(sibling))).toMatchObject({ isActive: false })
  await sql`update svc.sandboxes set status = 'active' where sandbox_id = ${sessionId}`
  await change(sibling, { deletedAt: new Date() })
  expect(await tryOpen(personOf(ownerId), sibling)).toBe('not_found')
  await change(sibling, { deletedAt: null })
  const nowhere = openMachine(parts, personOf(ownerId), 'sb000000000000000000')
  await expect(nowhere).rejects.toMatchObject({ code: 'not_found' })
})

test('what was asked ahead answers only for the machine that it was asked for', async () => {
  const person = personOf(ownerId)
  const asked = askMachine(parts, person, machineOf(own))
  expect(await openMachine(parts, person, machineOf(own), asked)).toMatchObject({ sessionId: own.sessionId })
  expect(await openMachine(parts, person, machineOf(sibling), asked)).toMatchObject({ sessionId: sibling.sessionId })
})

test('whoever reaches another server than the one with the machine is told so', async () => {
  const person = personOf(ownerId)
  expect(await openMachine(parts, person, machineOf(own))).toMatchObject({ isActive: true, isElsewhere: false })
  const there = { ...parts, nodeId: newId() }
  await change(own, { nodeId: parts.nodeId })
  expect(await openMachine(there, person, machineOf(own))).toMatchObject({ isActive: true, isElsewhere: true })
  const commit = () =>
    commitPush(there, { principal: person, params: own, body: {}, projectId: rig.projectId } as never)
  await expect(commit()).rejects.toMatchObject({
    code: 'sandbox_unreachable',
    message: expect.stringContaining('on another server'),
  })
})

test('an agent shares its own session and none of its owner’s others, and ends only its own work', () => {
  const { sessionId } = own
  const viewer = { id: ownerId, groupIds: [], isManager: false, isAgent: true, sessionId, audience: own }
  const open = { canOpen: true, canManageSharing: true, canManageLifecycle: true }
  expect(judge(viewer, own)).toMatchObject(open)
  const shared: SessionRow = { ...sibling, visibility: 'project' }
  expect(judge(viewer, shared)).toMatchObject({ canOpen: true, canManageSharing: false, canManageLifecycle: false })
  expect(judge(viewer, { ...sibling, spawnedBy: own.sessionId })).toMatchObject({ ...open, canManageSharing: false })
  const heard = { ...viewer, audience: { ...own, visibility: 'project' as const } }
  const closed = { canOpen: false, canManageSharing: false, canManageLifecycle: false }
  expect(judge(heard, { ...sibling, spawnedBy: sessionId })).toMatchObject(closed)
  expect(judge({ ...viewer, isAgent: false, sessionId: undefined }, sibling)).toMatchObject(open)
})
