import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemActor } from '../actor.ts'
import { createEnvelope, loadMasterKeys } from '../crypto/index.ts'
import type { Database } from '../database/index.ts'
import { createTestDatabase } from '../database/testing.ts'
import { bundleScript, startScript } from '../jobs/testing/run-script.ts'
import { mintToken } from '../tokens/index.ts'
import {
  type Answer,
  AttemptLostError,
  cleanIdempotencyKeys,
  createIdempotency,
  hashBody,
  type Idempotency,
  type IdempotencyOptions,
} from './index.ts'

const masterKey = Buffer.alloc(32, 7).toString('base64')
let database: Database
let script: string

beforeAll(async () => {
  database = await createTestDatabase()
  await database.sql`create table effects (id int generated always as identity, pid int)`
  script = await bundleScript(new URL('./testing/caller.ts', import.meta.url))
})
afterAll(() => database.close())
beforeEach(async () => {
  await database.sql`truncate effects, svc.idempotency_keys`
})

async function open(options: Partial<IdempotencyOptions> = {}): Promise<Idempotency> {
  const masterKeys = await loadMasterKeys({ dataDir: '.', environmentValue: masterKey })
  const envelope = createEnvelope({ sql: database.sql, masterKeys })
  return createIdempotency({ sql: database.sql, envelope, ...options })
}

const call = { caller: 'user-1', route: 'POST /v1/things', key: 'k1', bodyHash: hashBody('{}') }
const created = (body: unknown): Answer => ({ status: 201, headers: { location: '/x' }, body })

async function countEffects(): Promise<number> {
  const [row] = await database.sql`select count(*)::int as n from effects`
  return Number(row?.n)
}

describe('across processes', () => {
  async function runCallers(mode: string, processes: number, calls: number): Promise<unknown[]> {
    const environment = { url: database.connectionString, mode, calls: String(calls), masterKey }
    const callers = Array.from({ length: processes }, () => startScript(script, environment))
    for (const caller of callers) expect(await caller.nextMessage()).toBe('ready')
    for (const caller of callers) caller.child.send('go')
    const answers = await Promise.all(callers.map((caller) => caller.nextMessage().catch(() => ['died'])))
    await Promise.all(callers.map((caller) => caller.exited))
    return answers.flat()
  }

  test.each(['plain', 'kept-in-transaction'])(
    '100 calls with one key at once have one effect and one answer (%s)',
    async (mode) => {
      const answers = await runCallers(mode, 4, 25)
      expect(await countEffects()).toBe(1)
      expect(answers.length).toBe(100)
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect(answers[0]).toMatchObject({ id: expect.any(Number) })
    },
  )

  test('a process killed before its commit blocks the key only until its lease ends', async () => {
    expect(await runCallers('die-before-commit', 1, 1)).toEqual(['died'])
    expect(await countEffects()).toBe(0)
    const again = await open({ waitMs: 60_000 })
    const answer = await again.runIdempotent({ ...call, key: 'key-die-before-commit', bodyHash: 'h' }, async () =>
      created('second'),
    )
    expect(answer).toMatchObject({ body: 'second', replayed: false })
  })

  test('a process killed right after its commit has answered: the repeat does not do the work again', async () => {
    expect(await runCallers('die-after-commit', 1, 1)).toEqual(['died'])
    expect(await countEffects()).toBe(1)
    const again = await open({ waitMs: 60_000 })
    const repeat = { ...call, key: 'key-die-after-commit', bodyHash: 'h' }
    const answer = await again.runIdempotent(repeat, () => Promise.reject(new Error('ran twice')))
    expect(answer).toMatchObject({ status: 201, body: { id: expect.any(Number) }, replayed: true })
  })
})

describe('a repeat', () => {
  test('gets the first status, headers and body, to the order of its keys', async () => {
    const { runIdempotent } = await open()
    const body = { z: 1, a: [null, 1.5, '\0', 'é'], nested: { b: {}, a: '' } }
    const first = await runIdempotent(call, async () => created(body))
    const second = await runIdempotent(call, () => Promise.reject(new Error('ran twice')))
    expect(first.replayed).toBe(false)
    expect(second).toEqual({ ...created(body), replayed: true })
    expect(JSON.stringify(second.body)).toBe(JSON.stringify(body))
  })

  test('with another body is a conflict, while the first runs and after it', async () => {
    const { runIdempotent } = await open()
    const other = { ...call, bodyHash: hashBody('{"x":1}') }
    await runIdempotent(call, async () => {
      await expect(runIdempotent(other, async () => created(1))).rejects.toMatchObject({
        code: 'idempotency_conflict',
      })
      return created(1)
    })
    await expect(runIdempotent(other, async () => created(1))).rejects.toMatchObject({ code: 'idempotency_conflict' })
  })

  test('while the first runs waits for it for a moment, then is told to come back', async () => {
    const { runIdempotent } = await open({ waitMs: 100 })
    const patient = await open()
    await runIdempotent(call, async () => {
      await expect(runIdempotent(call, async () => created(2))).rejects.toMatchObject({
        code: 'idempotency_in_flight',
      })
      return created(1)
    })
    const order: string[] = []
    let begin = (): void => undefined
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const first = runIdempotent({ ...call, key: 'k2' }, async () => {
      begin()
      await new Promise((resolve) => setTimeout(resolve, 200))
      order.push('first')
      return created('first')
    })
    await begun
    const waiting = await patient.runIdempotent({ ...call, key: 'k2' }, async () => created('second'))
    expect([waiting.body, waiting.replayed, order]).toEqual(['first', true, ['first']])
    await first
  })

  test('by another caller or on another route is a call of its own', async () => {
    const { runIdempotent } = await open()
    let runs = 0
    const run = async () => created(++runs)
    await runIdempotent(call, run)
    await runIdempotent({ ...call, caller: 'user-2' }, run)
    await runIdempotent({ ...call, route: 'POST /v1/others' }, run)
    await runIdempotent({ ...call, key: 'K1' }, run)
    expect(runs).toBe(4)
  })

  test('after 24 hours runs anew, and old keys are cleaned', async () => {
    const { runIdempotent } = await open()
    await runIdempotent(call, async () => created(1))
    const [row] =
      await database.sql`select extract(epoch from expires_at - created_at)::int as kept from svc.idempotency_keys`
    expect(row?.kept).toBe(86_400)
    expect(await cleanIdempotencyKeys(database.sql)).toEqual({ deleted: 0 })
    await database.sql`update svc.idempotency_keys set expires_at = now()`
    expect(await runIdempotent({ ...call, bodyHash: 'other' }, async () => created(2))).toMatchObject({
      body: 2,
      replayed: false,
    })
    await database.sql`update svc.idempotency_keys set expires_at = now()`
    expect(await cleanIdempotencyKeys(database.sql)).toEqual({ deleted: 1 })
  })
})

describe('the first', () => {
  test('that throws, or answers with a fault of ours, frees the key', async () => {
    const { runIdempotent } = await open()
    await expect(runIdempotent(call, () => Promise.reject(new Error('broke')))).rejects.toThrow('broke')
    for (const status of [500, 503, 429, 401]) {
      expect(await runIdempotent(call, async () => ({ status, headers: {}, body: null }))).toMatchObject({
        status,
        replayed: false,
      })
    }
    await runIdempotent(call, async () => ({ status: 404, headers: {}, body: 'no' }))
    expect(await runIdempotent(call, async () => created(1))).toMatchObject({ status: 404, body: 'no', replayed: true })
  })

  test('that rolls back after keeping its answer has kept nothing', async () => {
    const { runIdempotent } = await open()
    const failing = runIdempotent(call, (attempt) =>
      database.transact(systemActor, async (tx) => {
        await attempt.keepIn(tx, created('rolled back'))
        throw new Error('later step failed')
      }),
    )
    await expect(failing).rejects.toThrow('later step failed')
    expect(await runIdempotent(call, async () => created('second'))).toMatchObject({ body: 'second', replayed: false })
  })

  test('that slept past its lease cannot commit over the attempt that took its place', async () => {
    const stalled = await open({ leaseMs: 3_600_000 })
    const other = await open()
    const late = stalled.runIdempotent(call, (attempt) =>
      database.transact(systemActor, async (tx) => {
        await database.sql`update svc.idempotency_keys set leased_until = now()`
        await other.runIdempotent(call, async () => created('by the other'))
        await attempt.keepIn(tx, created('too late'))
        return created('too late')
      }),
    )
    await expect(late).rejects.toBeInstanceOf(AttemptLostError)
    expect(await other.runIdempotent(call, async () => created('third'))).toMatchObject({
      body: 'by the other',
      replayed: true,
    })
  })

  test('whose answer cannot be sealed has still run: it gets the answer, and a repeat does not run again', async () => {
    const masterKeys = await loadMasterKeys({ dataDir: '.', environmentValue: masterKey })
    const envelope = createEnvelope({ sql: database.sql, masterKeys })
    const { runIdempotent } = await open({
      envelope: { ...envelope, seal: () => Promise.reject(new Error('no key')) },
    })
    const answer = { ...created('shown once'), secret: true }
    expect(await runIdempotent(call, async () => answer)).toEqual({ ...answer, replayed: false })
    await expect(runIdempotent(call, () => Promise.reject(new Error('ran twice')))).rejects.toMatchObject({
      code: 'idempotency_answer_gone',
    })
  })

  test('whose answer the database does not take yet holds the key until it is kept', async () => {
    await database.sql.unsafe(`
      create function refuse_answer() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
      create trigger refuse_answer before update on svc.idempotency_keys
        for each row when (new.leased_until is null) execute function refuse_answer()`)
    const { runIdempotent } = await open({ waitMs: 0 })
    const again = () => Promise.reject(new Error('ran twice'))
    try {
      expect(await runIdempotent(call, async () => created('first'))).toMatchObject({ status: 201, replayed: false })
      await expect(runIdempotent(call, again)).rejects.toMatchObject({ code: 'idempotency_in_flight' })
    } finally {
      await database.sql.unsafe('drop trigger refuse_answer on svc.idempotency_keys; drop function refuse_answer')
    }
    const patient = await open({ waitMs: 60_000 })
    expect(await patient.runIdempotent(call, again)).toMatchObject({ body: 'first', replayed: true })
  })

  test('keeps its lease for as long as it runs', async () => {
    const { runIdempotent } = await open({ leaseMs: 1_500 })
    const impatient = await open({ waitMs: 0 })
    await runIdempotent(call, async () => {
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      await expect(impatient.runIdempotent(call, async () => created(2))).rejects.toMatchObject({
        code: 'idempotency_in_flight',
      })
      return created(1)
    })
  })
})

describe('what is kept', () => {
  test.each(['after the run', 'in its transaction'])(
    'a secret answer is repeated but never stored in plain (%s)',
    async (when) => {
      const { runIdempotent } = await open()
      const token = mintToken('svc_pat_')
      const answer = { ...created({ token }), secret: true }
      await runIdempotent(call, async (attempt) => {
        if (when === 'in its transaction') await database.transact(systemActor, (tx) => attempt.keepIn(tx, answer))
        return answer
      })
      const [row] =
        await database.sql`select t::text as text, encode(sealed_answer, 'escape') as sealed from svc.idempotency_keys t`
      expect(`${row?.text}${row?.sealed}`).not.toContain(token.slice(8))
      expect(row?.sealed.length).toBeGreaterThan(50)
      const repeat = await runIdempotent(call, () => Promise.reject(new Error('ran twice')))
      expect(repeat).toEqual({ ...answer, replayed: true })
    },
  )

  test('an answer that is too large is not kept, and the repeat is told so instead of running again', async () => {
    const { runIdempotent } = await open({ maxAnswerBytes: 1_000 })
    const large = await runIdempotent(call, async () => created('x'.repeat(2_000)))
    expect(large.status).toBe(201)
    await expect(runIdempotent(call, async () => created(2))).rejects.toMatchObject({
      code: 'idempotency_answer_gone',
    })
  })
})

test.each(['', 'a b', 'é', 'x'.repeat(256), 'a\n', 'a,b', '"a"'])('the key "%s" is refused', async (key) => {
  const { runIdempotent } = await open()
  await expect(runIdempotent({ ...call, key }, async () => created(1))).rejects.toMatchObject({
    code: 'idempotency_key_invalid',
  })
})

test.each(['a', 'x'.repeat(255), 'AZaz09_.:+/=-'])('the key "%s" is taken', async (key) => {
  const { runIdempotent } = await open()
  expect(await runIdempotent({ ...call, key }, async () => created(1))).toMatchObject({ status: 201 })
})
