import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../kernel/database/index.ts'
import { createTestDatabase } from '../../kernel/database/testing.ts'
import { newId } from '../../kernel/ids/index.ts'
import { firstPreviousHash, hashRecord } from '../event-record.ts'
import { listSequences, readEvents } from '../store/events.ts'
import { createSealer } from './sealer.ts'

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const emit = (accountId: string, action = 'thing.happened') =>
  database.transact({ type: 'system', accountId }, (tx) => tx.audit({ action, metadata: { n: 1 } }))

async function readChain(accountId: string) {
  const sequences = await listSequences(database.sql, accountId, {}, { after: 0, head: 100_000, limit: 100_000 })
  return readEvents(database.sql, accountId, sequences)
}

async function expectWhole(accountId: string, count: number): Promise<void> {
  const events = await readChain(accountId)
  expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: count }, (_, index) => index + 1))
  let previous = firstPreviousHash
  for (const event of events) {
    expect(event.previous_hash).toBe(previous)
    expect(event.hash).toBe(hashRecord(event))
    previous = event.hash
  }
}

function makeSignal(): { sent: Promise<void>; send: () => void } {
  let send: () => void = () => undefined
  const sent = new Promise<void>((resolve) => {
    send = resolve
  })
  return { sent, send: () => send() }
}

describe('sealing', () => {
  test('many writers and several sealers at once leave one chain with no hole, and every event in it once', async () => {
    const accountId = newId()
    const sealers = [createSealer(database), createSealer(database), createSealer(database)]
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let index = 0; index < 10; index += 1) {
        await emit(accountId)
        if (index % 3 === 0) await sealers[writer % 3]?.sealChain(accountId)
      }
    })
    await Promise.all([...writers, ...sealers.map((sealer) => sealer.sealWaiting())])
    await sealers[0]?.sealChain(accountId)
    await expectWhole(accountId, 80)
  })

  test('an event that is committed late takes the next number, not one between those that were given', async () => {
    const accountId = newId()
    const sealer = createSealer(database)
    const [written, release] = [makeSignal(), makeSignal()]
    const late = database.transact({ type: 'system', accountId }, async (tx) => {
      await tx.audit({ action: 'thing.late' })
      written.send()
      await release.sent
    })
    await written.sent
    await emit(accountId, 'thing.early')
    await sealer.sealChain(accountId)
    release.send()
    await late
    await sealer.sealChain(accountId)
    expect((await readChain(accountId)).map(({ action }) => action)).toEqual(['thing.early', 'thing.late'])
    await expectWhole(accountId, 2)
  })

  test('a sealer that dies in the middle leaves nothing half done; the next one goes on from the last commit', async () => {
    const accountId = newId()
    const sealer = createSealer(database)
    for (let index = 0; index < 3; index += 1) await emit(accountId)
    await sealer.sealChain(accountId)
    for (let index = 0; index < 3; index += 1) await emit(accountId)
    const dying = createSealer({
      sql: database.sql,
      transact: (actor, work) =>
        database.transact(actor, async (tx) => {
          await work(tx)
          throw new Error('killed before the commit')
        }),
    })
    await expect(dying.sealChain(accountId)).rejects.toThrow('killed')
    await expectWhole(accountId, 3)
    await sealer.sealWaiting()
    await expectWhole(accountId, 6)
    await sealer.sealChain(accountId)
    await expectWhole(accountId, 6)
    expect(await database.sql`select from svc.audit_unsealed`).toHaveLength(0)
  })

  test('more events than one batch holds are all sealed by one call, chains apart', async () => {
    const [one, other] = [newId(), newId()]
    await database.sql`
      insert into svc.audit_events (event_id, account_id, action)
      select gen_random_uuid(), case when n % 2 = 0 then ${one}::uuid else ${other}::uuid end, 'thing.' || n
      from generate_series(1, 4600) n`
    await createSealer(database).sealWaiting()
    await expectWhole(one, 2300)
    await expectWhole(other, 2300)
  })

  test('a writer does not wait for a sealer of its account', async () => {
    const accountId = newId()
    await emit(accountId)
    const [sealing, release] = [makeSignal(), makeSignal()]
    const slow = createSealer({
      sql: database.sql,
      transact: (actor, work) =>
        database.transact(actor, async (tx) => {
          const result = await work(tx)
          sealing.send()
          await release.sent
          return result
        }),
    })
    const sealed = slow.sealChain(accountId)
    await sealing.sent
    // Would never return if it queued behind the sealer, which waits for it.
    await emit(accountId)
    release.send()
    await sealed
    await createSealer(database).sealChain(accountId)
    await expectWhole(accountId, 2)
  })
})
