import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Actor } from '../actor.ts'
import type { Database } from '../database/index.ts'
import { createTestDatabase } from '../database/testing.ts'
import { mintToken } from '../tokens/index.ts'
import { toRow, writeRows } from './index.ts'

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
  await database.sql`create table public.things (id int primary key)`
})
afterAll(() => database.close())

const actor: Actor = { type: 'human', userId: 'u1', accountId: '0190a1b2-0000-7000-8000-000000000001' }

test('a change whose audit event cannot be written is not made', async () => {
  const changed = database.transact(actor, async (tx) => {
    await tx.db.execute(sql`insert into public.things (id) values (1)`)
    await tx.audit({ action: 'thing.create', outcome: 'no such outcome' })
  })
  await expect(changed).rejects.toThrow()
  expect(await database.sql`select from public.things`).toHaveLength(0)
})

test('an event that waits to be sealed exists exactly when the event does', async () => {
  const failed = database.transact(actor, async (tx) => {
    await tx.audit({ action: 'thing.rolled_back' })
    throw new Error('changed my mind')
  })
  await expect(failed).rejects.toThrow('changed my mind')
  const eventId = await database.transact(actor, (tx) => tx.audit({ action: 'thing.kept' }))
  const waiting = await database.sql`select account_id, event_id from svc.audit_unsealed`
  expect([...waiting]).toEqual([{ account_id: actor.accountId, event_id: eventId }])
})

test('every column takes what the event says, else what the actor says, and success unless it says otherwise', async () => {
  const eventId = await database.transact(
    { ...actor, requestId: 'r1', ip: '192.0.2.1', sessionId: '0190a1b2-0000-7000-8000-000000000009' },
    (tx) =>
      tx.audit({
        action: 'thing.update',
        accountId: null,
        actorUserId: 'u2',
        delegationDepth: 2,
        sessionSequence: 7,
        before: { name: 'a' },
        after: ['b'],
        inputSummary: 'short',
        metadata: { count: 1 },
      }),
  )
  const [row] = await database.sql`select * from svc.audit_events where event_id = ${eventId}`
  expect(row).toMatchObject({
    account_id: null,
    chain_id: '00000000-0000-0000-0000-000000000000',
    session_id: '0190a1b2-0000-7000-8000-000000000009',
    actor_user_id: 'u2',
    actor_type: 'human',
    outcome: 'success',
    phase: 'completed',
    request_id: 'r1',
    ip: '192.0.2.1',
    delegation_depth: 2,
    session_sequence: '7',
    before: { name: 'a' },
    after: ['b'],
    input_summary: 'short',
    metadata: { count: 1 },
  })
  expect(Math.abs(Date.now() - row?.occurred_at.getTime())).toBeLessThan(60_000)
})

test('writing the same rows again stores them once', async () => {
  const rows = [toRow(actor, { action: 'thing.twice' }), toRow(actor, { action: 'thing.twice' })]
  await writeRows(database.db, rows)
  await writeRows(database.db, rows)
  expect(await database.sql`select from svc.audit_events where action = 'thing.twice'`).toHaveLength(2)
})

test('no canary that is put into any field of an event reaches the store', async () => {
  const canary = mintToken('svc_pat_')
  const opaque = 'canary-of-a-prompt'
  await database.transact(
    { ...actor, userAgent: `agent ${canary}`, correlationId: canary, clientReportedSource: canary, agentName: canary },
    (tx) =>
      tx.audit({
        action: 'thing.canary',
        resourceId: canary,
        resourceType: canary,
        executionId: canary,
        errorCode: `failed with ${canary}`,
        inputSummary: {
          prompt: opaque,
          arguments: { note: opaque },
          seen: [canary, `https://example.com/?t=${opaque}`],
        },
        outputSummary: { output: opaque, nested: { headers: { cookie: opaque } } },
        before: { body: opaque, [canary]: 1 },
        after: { message: opaque, list: [{ password: opaque }] },
        metadata: { error: opaque, url: `https://${opaque}:${opaque}@example.com/${opaque}` },
      }),
  )
  const [row] = await database.sql`select e::text as text from svc.audit_events e where action = 'thing.canary'`
  expect(row?.text).not.toContain(canary)
  expect(row?.text).not.toContain(opaque)
})
