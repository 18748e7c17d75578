import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Actor } from '../actor.ts'
import { auditEvents } from '../audit/schema.ts'
import { createTestDatabase } from './testing.ts'

const problems: string[] = []
const database = await createTestDatabase({ onProblem: (message) => problems.push(message) })
afterAll(() => database.close())

const accountId = '6f0f1c1e-36d1-4c5e-9a57-5b2f2f1f7c01'
const actor: Actor = { type: 'human', userId: 'u1', accountId, requestId: 'r1', source: 'human', ip: '127.0.0.1' }
const job = { name: 'send-mail' } as const

beforeEach(async () => {
  await database.sql`create table if not exists public.things (id int primary key, value int not null default 0)`
  await database.sql`truncate public.things`
})

describe('a transaction', () => {
  test('change, audit row, job and event stand together after the commit', async () => {
    const heard: string[] = []
    const { unlisten } = await database.sql.listen('things', (payload) => heard.push(payload))
    const order: string[] = []
    const eventId = await database.transact(actor, async (tx) => {
      tx.afterCommit(() => {
        order.push('after')
      })
      await tx.db.execute(sql`insert into public.things (id) values (1)`)
      await tx.enqueue(job, { to: 'a@example.com' }, { key: 'mail-1', maxAttempts: 3 })
      await tx.publish({ topic: 'things', payload: { id: 1 } })
      const id = await tx.audit({ action: 'thing.create', outcome: 'success', after: { id: 1 } })
      order.push('work')
      return id
    })
    expect(order).toEqual(['work', 'after'])
    const [event] = await database.db.select().from(auditEvents)
    expect(event).toMatchObject({
      eventId,
      action: 'thing.create',
      accountId,
      actorUserId: 'u1',
      after: { id: 1 },
      metadata: {},
    })
    expect(await waitingJobs()).toEqual([{ task_identifier: 'send-mail', key: 'mail-1', max_attempts: 3 }])
    await expect.poll(() => heard).toEqual(['{"id":1}'])
    await unlisten()
  })

  test('a failure leaves no change, no audit row, no job, no event and runs nothing after', async () => {
    const heard: string[] = []
    const { unlisten } = await database.sql.listen('things', (payload) => heard.push(payload))
    const before = await counts()
    let after = 0
    const failed = database.transact(actor, async (tx) => {
      tx.afterCommit(() => {
        after++
      })
      await tx.db.execute(sql`insert into public.things (id) values (2)`)
      await tx.audit({ action: 'thing.create' })
      await tx.enqueue(job, {})
      await tx.publish({ topic: 'things', payload: 'never' })
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    await database.transact(actor, (tx) => tx.publish({ topic: 'things', payload: 'last' }))
    await expect.poll(() => heard).toEqual(['"last"'])
    expect([await counts(), after]).toEqual([before, 0])
    await unlisten()
  })

  test('writers that collide under serializable all succeed, each exactly once', async () => {
    await database.sql`insert into public.things (id) values (3)`
    const add = () =>
      database.transact(
        actor,
        async (tx) => {
          const { rows } = await tx.db.execute<{ value: number }>(sql`select value from public.things where id = 3`)
          await tx.db.execute(sql`update public.things set value = ${(rows[0]?.value ?? 0) + 1} where id = 3`)
        },
        { isolation: 'serializable' },
      )
    for (let round = 0; round < 5; round++) await Promise.all([add(), add(), add()])
    expect((await database.sql`select value from public.things`)[0]?.value).toBe(15)
  })

  test('of two transactions in a deadlock the one that was chosen to fail is run again', async () => {
    await database.sql`insert into public.things (id) values (4), (5)`
    const lockBoth = (first: number, second: number) =>
      database.transact(actor, async (tx) => {
        await tx.db.execute(sql`update public.things set value = value + 1 where id = ${first}`)
        await tx.db.execute(sql`select pg_sleep(0.2)`)
        await tx.db.execute(sql`update public.things set value = value + 1 where id = ${second}`)
      })
    await Promise.all([lockBoth(4, 5), lockBoth(5, 4)])
    expect((await database.sql`select value from public.things`).map((row) => row.value)).toEqual([2, 2])
  })

  test('an error that will not go away by trying again is not tried again', async () => {
    let runs = 0
    const failed = database.transact(actor, async (tx) => {
      runs++
      await tx.db.execute(sql`select 1 / 0`)
    })
    await expect(failed).rejects.toThrow()
    expect(runs).toBe(1)
  })

  test('a failing step after the commit is reported and the caller still gets the result', async () => {
    const result = await database.transact(actor, async (tx) => {
      tx.afterCommit(() => Promise.reject(new Error('no network')))
      return 'done'
    })
    expect([result, problems]).toEqual(['done', ['A step after a committed transaction failed.']])
  })

  test('a publisher that is given later takes the place of the first', async () => {
    const sent: string[] = []
    database.usePublisher(async (tx, event) => {
      sent.push(`${tx.actor.userId} ${event.topic}`)
    })
    await database.transact(actor, (tx) => tx.publish({ topic: 'other', payload: 1 }))
    expect(sent).toEqual(['u1 other'])
  })
})

describe('the audit table', () => {
  test('refuses update, delete and truncate, and keeps its rows', async () => {
    await database.transact(actor, (tx) => tx.audit({ action: 'kept' }))
    const before = await counts()
    await expect(database.sql`update svc.audit_events set action = 'x'`).rejects.toThrow('append-only')
    await expect(database.sql`delete from svc.audit_events`).rejects.toThrow('append-only')
    await expect(database.sql`truncate svc.audit_events cascade`).rejects.toThrow('append-only')
    expect(await counts()).toEqual(before)
  })
})

async function waitingJobs(): Promise<unknown[]> {
  return [...(await database.sql`select task_identifier, key, max_attempts from graphile_worker.jobs`)]
}

async function counts(): Promise<unknown> {
  const [row] = await database.sql`select
    (select count(*)::int from public.things) as things,
    (select count(*)::int from svc.audit_events) as events,
    (select count(*)::int from graphile_worker.jobs) as jobs`
  return row
}
