import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hashRecord } from '../event-record.ts'
import { type Received, startReceiver } from '../testing/receiver.ts'
import { startTestWebhooks } from '../testing/start-webhooks.ts'
import { createWebhook, removeWebhook, replayDeadLetters, rotateSecret, updateWebhook } from './change-webhooks.ts'
import { waitsMs } from './retry-plan.ts'

let hooks: Awaited<ReturnType<typeof startTestWebhooks>>
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeEach(async () => {
  hooks = await startTestWebhooks()
  receiver = await startReceiver()
})
afterEach(async () => {
  await receiver.stop()
  await hooks.stop()
})

const minute = 60_000

/** A hook whose test event and creation event are out of the way. */
async function addHook(input: { action_prefix?: string; url?: string } = {}) {
  const { changes, actor, accountId } = hooks
  const hook = await createWebhook(changes, actor, accountId, { name: 'SIEM', url: receiver.url, ...input })
  await hooks.database.sql`delete from svc.audit_deliveries`
  receiver.received.length = 0
  return { ...hook, named: { accountId, webhookId: hook.webhook_id } }
}

async function onlyDelivery() {
  const rows = await hooks.deliveries()
  expect(rows).toHaveLength(1)
  const [row] = rows
  if (!row) throw new Error('unreachable')
  return row
}

async function deliverAll(): Promise<void> {
  for (const { delivery_id } of await hooks.deliveries()) await hooks.deliver(delivery_id)
}

const readHook = async () => (await hooks.database.sql`select * from svc.audit_webhooks`)[0]

/** The official library refuses timestamps that are not about now, so the clock of the test is set to now before. */
function verify(secret: string, { headers, body }: Received): unknown {
  return new Webhook(secret).verify(body, headers)
}

describe('creating', () => {
  test('sends one signed test event, shows the secret once and stores it sealed', async () => {
    const { changes, actor, accountId, database } = hooks
    const made = await createWebhook(changes, actor, accountId, { name: 'SIEM', url: receiver.url })
    expect(made).toMatchObject({ name: 'SIEM', enabled: true, action_prefix: null, test: { ok: true, status: 204 } })
    expect(Buffer.from(made.secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
    const [received] = receiver.received
    expect(received && verify(made.secret, received)).toMatchObject({
      schema_version: 1,
      event: { action: 'webhook.test', metadata: { test: true }, account_id: accountId },
    })
    const [row] = await database.sql`select w::text as text from svc.audit_webhooks w`
    expect(row?.text).not.toContain(made.secret.slice(6))
    const [event] = await database.sql`select e::text as text from svc.audit_events e where action like 'iam.audit.%'`
    expect(event?.text).not.toContain(made.secret.slice(6))
    expect(event?.text).not.toContain('/hook')
  })

  test('succeeds whatever the test event meets', async () => {
    receiver.answerWith({ status: 500 })
    const { changes, actor, accountId } = hooks
    const input = { name: 'SIEM', url: receiver.url }
    expect((await createWebhook(changes, actor, accountId, input)).test).toEqual({
      ok: false,
      status: 500,
      error: 'It answered 500.',
    })
    const nobody = { name: 'x', url: 'http://127.0.0.1:1/' }
    expect((await createWebhook(changes, actor, accountId, nobody)).test).toMatchObject({ ok: false })
  })

  test('refuses an address that is private, of another protocol or carries a password', async () => {
    const { changes, actor, accountId } = hooks
    for (const url of [
      'http://10.0.0.1/',
      'http://169.254.169.254/',
      'ftp://example.com/',
      'https://a:b@example.com/',
      'x',
    ]) {
      const refused = createWebhook(changes, actor, accountId, { name: 'x', url })
      await expect(refused, url).rejects.toMatchObject({ code: 'validation_failed', status: 400 })
    }
    expect(await readHook()).toBeUndefined()
  })
})

describe('the limit of 20 webhooks per account', () => {
  test('holds when many are created at once, and a removed one makes room', async () => {
    const { changes, actor, accountId, database } = hooks
    await database.sql`
      insert into svc.audit_webhooks (webhook_id, account_id, name, url, enabled, sealed_secret)
      select gen_random_uuid(), ${accountId}, 'x', 'http://127.0.0.1:1/', false, '' from generate_series(1, 17)`
    const create = () => createWebhook(changes, actor, accountId, { name: 'SIEM', url: receiver.url })
    const results = await Promise.allSettled(Array.from({ length: 8 }, create))
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.webhook_id] : []))
    expect(made).toHaveLength(3)
    const refusal = { code: 'webhook_limit_reached', status: 409 }
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(refusal)
    receiver.received.length = 0
    await expect(create()).rejects.toMatchObject(refusal)
    expect(receiver.received).toHaveLength(0)
    await removeWebhook(changes, actor, { accountId, webhookId: made[0] ?? '' })
    await expect(create()).resolves.toMatchObject({ enabled: true })
  })
})

describe('queueing', () => {
  test('happens in the transaction of the event, for enabled hooks of its account whose prefix fits', async () => {
    await addHook({ action_prefix: 'iam.' })
    const failed = hooks.database.transact(hooks.actor, async (tx) => {
      await tx.audit({ action: 'iam.rolled.back' })
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    await hooks.emit('account.update')
    await hooks.emit('iam.role.create', '0190a1b2-0000-7000-8000-000000000001')
    expect(await hooks.deliveries()).toHaveLength(0)
    const eventId = await hooks.emit('iam.role.create')
    expect(await onlyDelivery()).toMatchObject({ event_id: eventId, state: 'pending', attempts: 0 })
    const jobs = await hooks.database
      .sql`select key, task_identifier from graphile_worker.jobs where key like 'audit.deliver:%'`
    const { delivery_id: id } = await onlyDelivery()
    expect(jobs.map((job) => job.key)).toContain(`audit.deliver:${id}`)
  })

  test('stops while a hook is disabled', async () => {
    const { named } = await addHook()
    await updateWebhook(hooks.changes, hooks.actor, named, { enabled: false })
    await hooks.emit('thing.unseen')
    expect(await hooks.deliveries()).toHaveLength(0)
  })
})

describe('a delivery', () => {
  test('carries the sealed event, signed so that the official library accepts it', async () => {
    const hook = await addHook()
    const eventId = await hooks.emit('thing.happened')
    await deliverAll()
    const [received] = receiver.received
    if (!received) throw new Error('nothing was received')
    const { event } = verify(hook.secret, received) as { event: Record<string, unknown> }
    expect(event).toMatchObject({ event_id: eventId, action: 'thing.happened', sequence: expect.any(Number) })
    expect(event.hash).toBe(hashRecord(event))
    const { delivery_id } = await onlyDelivery()
    expect(received.headers).toMatchObject({
      'webhook-id': delivery_id,
      'content-type': 'application/json',
      'user-agent': 'Svc-Audit-Webhook/1',
    })
    expect(() => verify(hook.secret, { ...received, body: `${received.body} ` })).toThrow()
    expect(() => verify(`whsec_${Buffer.alloc(32, 1).toString('base64')}`, received)).toThrow()
    expect(await onlyDelivery()).toMatchObject({ state: 'delivered', attempts: 1, next_attempt_at: null })
    expect((await readHook())?.last_delivered_at).toEqual(hooks.clock.now())
    await deliverAll()
    expect(receiver.received).toHaveLength(1)
  })

  test('that keeps failing is tried ten times by the plan, with one id, and then is a dead letter', async () => {
    await addHook()
    receiver.answerWith({ status: 500 })
    await hooks.emit('thing.happened')
    const { delivery_id: id } = await onlyDelivery()
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await hooks.deliver(id)
      const row = await onlyDelivery()
      expect([row.attempts, row.last_status]).toEqual([attempt, 500])
      if (attempt === 10) break
      expect(row.state).toBe('retry')
      expect(row.next_attempt_at.getTime() - hooks.clock.nowMs()).toBe(waitsMs[attempt])
      const [job] = await hooks.database.sql`
        select run_at from graphile_worker.jobs where key = ${`audit.deliver:${id}`}`
      expect(job?.run_at).toEqual(row.next_attempt_at)
      // A run that comes before its time changes nothing.
      if (attempt > 1) {
        await hooks.deliver(id)
        expect(receiver.received).toHaveLength(attempt)
      }
      hooks.clock.jumpTo(row.next_attempt_at.getTime())
    }
    expect(await onlyDelivery()).toMatchObject({
      state: 'dead_letter',
      next_attempt_at: null,
      last_error: 'It answered 500.',
    })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]))
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10)
    await hooks.deliver(id)
    expect(receiver.received).toHaveLength(10)
    expect(await readHook()).toMatchObject({ enabled: true, last_error: 'It answered 500.' })
  })

  test('that failed succeeds on a later attempt', async () => {
    await addHook()
    receiver.answerWith({ status: 503 })
    await hooks.emit('thing.happened')
    await deliverAll()
    receiver.answerWith({ status: 200 })
    hooks.clock.jumpTo((await onlyDelivery()).next_attempt_at.getTime())
    await deliverAll()
    expect(await onlyDelivery()).toMatchObject({ state: 'delivered', attempts: 2 })
  })

  test('is not redirected', async () => {
    await addHook()
    receiver.answerWith({ status: 302, headers: { location: receiver.url } })
    await hooks.emit('thing.happened')
    await deliverAll()
    expect(receiver.received).toHaveLength(1)
    expect(await onlyDelivery()).toMatchObject({ state: 'retry', last_status: 302 })
  })

  test('waits as long as Retry-After asks, and the whole hook with it when the receiver is under load', async () => {
    await addHook()
    receiver.answerWith({ status: 429, headers: { 'retry-after': '600' } })
    await hooks.emit('thing.one')
    await deliverAll()
    const { delivery_id: first, next_attempt_at: nextAt } = await onlyDelivery()
    expect(nextAt.getTime()).toBe(hooks.clock.nowMs() + 10 * minute)
    receiver.answerWith({ status: 200 })
    await hooks.emit('thing.two')
    await deliverAll()
    expect(receiver.received).toHaveLength(1)
    const [second] = (await hooks.deliveries()).filter(({ delivery_id: id }) => id !== first)
    expect(second).toMatchObject({ state: 'retry', attempts: 0 })
    hooks.clock.jumpTo(second?.next_attempt_at.getTime())
    await deliverAll()
    expect((await hooks.deliveries()).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
    expect(await readHook()).toMatchObject({ slow_until: null, slow_level: 0 })
  })

  test('that meets 410 disables the hook, and what waits becomes dead letters', async () => {
    await addHook()
    await hooks.emit('thing.one')
    await hooks.emit('thing.two')
    receiver.answerWith({ status: 410 })
    await deliverAll()
    expect(receiver.received).toHaveLength(1)
    expect((await hooks.deliveries()).map(({ state }) => state)).toEqual(['dead_letter', 'dead_letter'])
    expect(await readHook()).toMatchObject({ enabled: false })
  })

  test('of an account without the entitlement is a dead letter and nothing is sent', async () => {
    await addHook()
    await hooks.emit('thing.one')
    hooks.entitlement.has = false
    await deliverAll()
    expect(receiver.received).toHaveLength(0)
    expect(await onlyDelivery()).toMatchObject({ state: 'dead_letter', attempts: 0 })
  })

  test('whose node died in the middle of an attempt is sent again when its lease has passed', async () => {
    await addHook()
    await hooks.emit('thing.one')
    const leasedUntil = new Date(hooks.clock.nowMs() + minute)
    await hooks.database
      .sql`update svc.audit_deliveries set state = 'delivering', attempts = 1, next_attempt_at = ${leasedUntil}`
    await deliverAll()
    expect(receiver.received).toHaveLength(0)
    hooks.clock.jumpTo(leasedUntil.getTime())
    await deliverAll()
    expect(await onlyDelivery()).toMatchObject({ state: 'delivered', attempts: 2 })
  })

  test('of which two workers run the same attempt is sent once', async () => {
    await addHook()
    await hooks.emit('thing.one')
    const { delivery_id: id } = await onlyDelivery()
    await Promise.all([hooks.deliver(id), hooks.deliver(id), hooks.deliver(id)])
    expect(receiver.received).toHaveLength(1)
  })

  test('to an address that has become private is refused at the delivery', async () => {
    await addHook()
    await hooks.emit('thing.one')
    await hooks.database.sql`update svc.audit_webhooks set url = 'http://10.0.0.1/'`
    await deliverAll()
    expect(await onlyDelivery()).toMatchObject({ state: 'retry', last_status: null })
  })
})

describe('changing', () => {
  test('a rotated secret signs with the old one for 24 hours, then alone', async () => {
    const hook = await addHook()
    const { secret } = await rotateSecret(hooks.changes, hooks.actor, hook.named)
    await hooks.database.sql`delete from svc.audit_deliveries`
    expect(secret).not.toBe(hook.secret)
    await hooks.emit('thing.one')
    await deliverAll()
    const [both] = receiver.received
    if (!both) throw new Error('nothing was received')
    expect(both.headers['webhook-signature']?.split(' ')).toHaveLength(2)
    for (const known of [secret, hook.secret]) expect(() => verify(known, both)).not.toThrow()
    hooks.clock.jumpTo(hooks.clock.nowMs() + 24 * 60 * minute)
    await hooks.emit('thing.two')
    await deliverAll()
    expect(receiver.received[1]?.headers['webhook-signature']?.split(' ')).toHaveLength(1)
  })

  test('dead letters since an instant are queued again and arrive', async () => {
    const { named } = await addHook()
    receiver.answerWith({ status: 410 })
    await hooks.emit('thing.one')
    await deliverAll()
    receiver.answerWith({ status: 200 })
    await updateWebhook(hooks.changes, hooks.actor, named, { enabled: true })
    await hooks.database.sql`delete from svc.audit_deliveries where state = 'pending'`
    const later = new Date(Date.now() + 10 * minute).toISOString()
    expect(await replayDeadLetters(hooks.changes, hooks.actor, named, later)).toEqual({ queued: 0, remaining: 0 })
    const earlier = new Date(Date.now() - 10 * minute).toISOString()
    expect(await replayDeadLetters(hooks.changes, hooks.actor, named, earlier)).toEqual({ queued: 1, remaining: 0 })
    receiver.received.length = 0
    await deliverAll()
    expect(receiver.received.map(({ body }) => JSON.parse(body).event.action)).toContain('thing.one')
  })

  test('a replay takes a thousand dead letters at a time, the oldest first, and tells how many remain', async () => {
    const { named } = await addHook()
    const { sql } = hooks.database
    await sql`
      insert into svc.audit_deliveries (delivery_id, webhook_id, event_id, state, created_at, finished_at)
      select gen_random_uuid(), ${named.webhookId}, gen_random_uuid(), 'dead_letter',
        now() - (n || ' seconds')::interval, now() from generate_series(1, 1003) n`
    const replay = () => replayDeadLetters(hooks.changes, hooks.actor, named, '2020-01-01T00:00:00Z')
    expect(await replay()).toEqual({ queued: 1000, remaining: 3 })
    const [left] = await sql`
      select min(created_at) > now() - interval '1 minute' as young from svc.audit_deliveries where state = 'dead_letter'`
    expect(left?.young).toBe(true)
    expect(await replay()).toEqual({ queued: 3, remaining: 0 })
  })

  test('a removed hook takes what waits with it, and is not found again', async () => {
    const { named } = await addHook()
    await hooks.emit('thing.one')
    await removeWebhook(hooks.changes, hooks.actor, named)
    expect(await hooks.deliveries()).toHaveLength(0)
    const missing = { code: 'not_found' }
    await expect(removeWebhook(hooks.changes, hooks.actor, named)).rejects.toMatchObject(missing)
    await expect(rotateSecret(hooks.changes, hooks.actor, named)).rejects.toMatchObject(missing)
    await expect(updateWebhook(hooks.changes, hooks.actor, named, {})).rejects.toMatchObject(missing)
  })

  test('the hook of another account is not found', async () => {
    const { named } = await addHook()
    const foreign = { ...named, accountId: '0190a1b2-0000-7000-8000-000000000001' }
    await expect(removeWebhook(hooks.changes, hooks.actor, foreign)).rejects.toMatchObject({ code: 'not_found' })
  })
})
