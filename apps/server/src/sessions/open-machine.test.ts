import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemActor } from '../kernel/actor.ts'
import { problem } from '../kernel/http/index.ts'
import { newId } from '../kernel/ids/index.ts'
import { anonymousPrincipal, type Principal } from '../kernel/principal.ts'
import { judge } from './access.ts'
import { openMachine } from './open-machine.ts'
import type { Parts } from './parts.ts'
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
    sandboxes: { findByExternalId: async (sandboxId: string) => ({ sandboxId, status: 'active' }) } as never,
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

test('an agent that may read sessions gets into its own machine, and into another one only where it could start it', async () => {
  const reader = agentOf(own, 'project.session.read')
  expect(await tryOpen(reader, own)).toBe(own.sessionId)
  expect(await tryOpen(reader, sibling)).toBe('forbidden')
  expect(await tryOpen(agentOf(own, 'project.session.read', 'project.session.start'), sibling)).toBe(sibling.sessionId)
})

test('the person themselves gets into both, somebody else into none', async () => {
  const { agentGrant: _grant, sessionId: _session, ...rest } = agentOf(own)
  const person: Principal = { ...rest, agentGrant: undefined, sessionId: undefined }
  expect(await tryOpen(person, sibling)).toBe(sibling.sessionId)
  expect(await tryOpen({ ...person, id: newId() }, sibling)).toBe('not_found')
})

test('an agent shares its own session and none of its owner’s others', () => {
  const viewer = { id: ownerId, groupIds: [], isManager: false, sessionId: own.sessionId }
  expect(judge(viewer, own)).toMatchObject({ canOpen: true, canManageSharing: true })
  expect(judge(viewer, sibling)).toMatchObject({ canOpen: true, canManageSharing: false })
  expect(judge({ ...viewer, sessionId: undefined }, sibling)).toMatchObject({ canManageSharing: true })
})
