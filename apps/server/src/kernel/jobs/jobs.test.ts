import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemActor } from '../actor.ts'
import type { Database, EnqueueOptions } from '../database/index.ts'
import { createTestDatabase } from '../database/testing.ts'
import { countJobs, discardDeadJob, listDeadJobs, retryDeadJob } from './index.ts'
import { createReaper } from './reap-lost-pools.ts'
import { bundleScript, type ScriptProcess, startScript } from './testing/run-script.ts'

const LONG = process.env.SVC_TEST_LONG === '1'

let database: Database
let script: string
let nodes: ScriptProcess[] = []

beforeAll(async () => {
  script = await bundleScript(new URL('./testing/node.ts', import.meta.url))
})
beforeEach(async () => {
  database = await createTestDatabase()
  await database.sql.unsafe(`
    create table runs (id bigint generated always as identity, job text, note text, attempt int, pid int);
    create table broken (x int)`)
})
afterEach(async () => {
  for (const node of nodes) node.kill('SIGKILL')
  await Promise.all(nodes.map((node) => node.exited))
  nodes = []
  await database.close()
})

async function startNode(environment: Record<string, string> = {}): Promise<ScriptProcess> {
  const node = startScript(script, { url: database.connectionString, reapIntervalMs: '300', ...environment })
  nodes.push(node)
  expect(await node.nextMessage()).toMatchObject({ ready: true })
  return node
}

function enqueue(name: string, note: string, options?: EnqueueOptions): Promise<void> {
  return database.transact(systemActor, (tx) => tx.enqueue({ name }, { note }, options))
}

interface Run {
  job: string
  note: string
  attempt: number
  pid: number
}

async function runsOf(note: string): Promise<Run[]> {
  return database.sql<Run[]>`select job, note, attempt, pid from runs where note = ${note} order by id`
}

async function until<T>(read: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const value = await read()
    if (value !== undefined && value !== false) return value
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Nodes are ready a moment before they hold the lock of their pool, without which they take no job. */
async function countPoolLocks(): Promise<number> {
  const rows = await database.sql`
    select from pg_locks join pg_stat_activity activity using (pid)
    where locktype = 'advisory' and granted and datname = current_database() and application_name = 'svc job pool'`
  return rows.length
}

async function queueIsEmpty(): Promise<boolean> {
  return (await countJobs(database.sql)).length === 0
}

describe('enqueue', () => {
  test('a job of a rolled-back transaction never runs, one of a committed transaction runs once', async () => {
    await startNode()
    await expect(
      database.transact(systemActor, async (tx) => {
        await tx.enqueue({ name: 'note' }, { note: 'never' })
        throw new Error('rolled back')
      }),
    ).rejects.toThrow('rolled back')
    await enqueue('note', 'once')
    await until(queueIsEmpty)
    expect((await runsOf('once')).length).toBe(1)
    expect(await runsOf('never')).toEqual([])
  })

  test('every one of many jobs runs exactly once on three nodes', async () => {
    await Promise.all([startNode(), startNode(), startNode()])
    const count = LONG ? 2_000 : 200
    await database.transact(systemActor, async (tx) => {
      for (let n = 0; n < count; n++) await tx.enqueue({ name: 'note' }, { note: 'many' })
    })
    await until(queueIsEmpty)
    const runs = await runsOf('many')
    expect(runs.length).toBe(count)
    expect(runs.every((run) => run.attempt === 1)).toBe(true)
  })
})

describe('a node that is killed', () => {
  test('loses nothing: its job runs again on another node at once, also in a named queue', async () => {
    await Promise.all([startNode(), startNode()])
    await enqueue('hold', 'held')
    const free = await Promise.race(nodes.map(async (node) => ({ node, message: await node.nextMessage() })))
    expect(free.message).toMatchObject({ holding: 'held' })
    await enqueue('hold', 'queued', { queue: 'one-at-a-time' })
    await until(async () => (await runsOf('queued')).length === 1)
    await enqueue('note', 'behind', { queue: 'one-at-a-time' })
    const [queued] = await runsOf('queued')
    const [held] = await runsOf('held')
    for (const node of nodes) if (node.pid === held?.pid || node.pid === queued?.pid) node.kill('SIGKILL')
    const rescuer = await startNode()
    await until(queueIsEmpty)
    expect((await runsOf('held')).map((run) => run.attempt)).toEqual([1, 2])
    expect((await runsOf('queued')).map((run) => run.attempt)).toEqual([1, 2])
    expect((await runsOf('behind')).length).toBe(1)
    const alive = new Set([
      rescuer.pid,
      ...nodes.filter((node) => node.child.signalCode === null).map((node) => node.pid),
    ])
    expect(alive.has((await runsOf('held'))[1]?.pid ?? 0)).toBe(true)
  })

  test('is told from one that only lost its connections: a running job is not given away', async () => {
    // Lost nodes are looked for by the test alone, so that it decides what is seen before and after the loss.
    await Promise.all([startNode({ reapIntervalMs: '3600000' }), startNode({ reapIntervalMs: '3600000' })])
    const reap = createReaper(database.sql)
    await expect.poll(countPoolLocks).toBe(2)
    await enqueue('slow', 'steady')
    await Promise.race(nodes.map((node) => node.nextMessage()))
    const cut = await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'svc job pool'`
    expect(cut.length).toBe(2)
    expect(await reap()).toEqual([])
    await expect.poll(countPoolLocks).toBe(2)
    expect(await reap()).toEqual([])
    await until(queueIsEmpty)
    expect((await runsOf('steady')).map((run) => run.attempt)).toEqual([1])
    expect(nodes.map((node) => node.child.exitCode)).toEqual([null, null])
  })

  test('a node whose every connection was cut takes jobs again', async () => {
    await startNode()
    await expect.poll(countPoolLocks).toBe(1)
    await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name not like 'svc%'`
    await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'svc job pool'`
    await enqueue('note', 'afterwards')
    await until(queueIsEmpty)
    expect((await runsOf('afterwards')).length).toBe(1)
  })
})

describe('a node that is asked to stop', () => {
  test('finishes what it runs and ends, and a job that comes meanwhile is neither lost nor left half done', async () => {
    const node = await startNode()
    await enqueue('slow', 'finishing')
    await node.nextMessage()
    node.kill('SIGTERM')
    await enqueue('note', 'left for others')
    expect(await node.exited).toEqual({ code: 0, signal: null })
    expect((await runsOf('finishing')).length).toBe(1)
    const left = await countJobs(database.sql)
    expect(left.every((counts) => counts.name === 'note' && counts.running === 0)).toBe(true)
    expect((await runsOf('left for others')).length + left.length).toBe(1)
  })

  test('aborts a job that takes too long, which then runs again elsewhere', async () => {
    const node = await startNode({ drainTimeoutMs: '600' })
    await enqueue('obedient', 'stopped')
    await node.nextMessage()
    node.kill('SIGTERM')
    expect(await node.exited).toEqual({ code: 0, signal: null })
    const [counts] = await countJobs(database.sql)
    expect(counts).toMatchObject({ name: 'obedient', running: 0, dead: 0 })
  })

  test('gives back a job that ignores the abort', async () => {
    const node = await startNode({ drainTimeoutMs: '600' })
    await enqueue('hold', 'stubborn')
    await node.nextMessage()
    node.kill('SIGTERM')
    await until(async () => (await countJobs(database.sql)).every((counts) => counts.running === 0))
    expect(await countJobs(database.sql)).toMatchObject([{ name: 'hold', dead: 0 }])
  })
})

describe('a job that fails', () => {
  test('is retried, then stays as a dead letter that can be seen, retried and discarded', async () => {
    await startNode()
    await database.sql`insert into broken values (1)`
    await enqueue('flaky', 'hunter2')
    await enqueue('flaky', 'second')
    const dead = await until(async () => {
      const list = await listDeadJobs(database.sql)
      return list.length === 2 && list
    })
    expect(dead.map(({ name, attempts, lastError }) => ({ name, attempts, lastError }))).toEqual([
      { name: 'flaky', attempts: 2, lastError: 'upstream refused password=[redacted]' },
      { name: 'flaky', attempts: 2, lastError: 'upstream refused password=[redacted]' },
    ])
    expect(await countJobs(database.sql)).toEqual([
      { name: 'flaky', ready: 0, scheduled: 0, retrying: 0, running: 0, dead: 2 },
    ])
    const [second, first] = dead
    expect(await listDeadJobs(database.sql, { limit: 1, beforeId: second?.id ?? '' })).toMatchObject([
      { id: first?.id },
    ])

    await database.sql`delete from broken`
    const rolledBack = database.transact(systemActor, async (tx) => {
      expect(await retryDeadJob(tx, first?.id ?? '', 2)).toBe(true)
      expect(await discardDeadJob(tx, second?.id ?? '')).toBe(true)
      throw new Error('the audit was refused')
    })
    await expect(rolledBack).rejects.toThrow('the audit was refused')
    expect(await listDeadJobs(database.sql)).toEqual(dead)
    const retry = (id = '') => database.transact(systemActor, (tx) => retryDeadJob(tx, id, 2))
    const discard = (id = '') => database.transact(systemActor, (tx) => discardDeadJob(tx, id))
    expect(await retry(first?.id)).toBe(true)
    expect(await retry('999999999')).toBe(false)
    await until(async () => (await runsOf('hunter2')).length === 3)
    expect(await discard(second?.id)).toBe(true)
    expect(await discard(second?.id)).toBe(false)
    await until(queueIsEmpty)
    expect((await runsOf('second')).length).toBe(2)
  })

  test('for good, or with a payload that does not fit, is not run again', async () => {
    const node = await startNode()
    await enqueue('hopeless', 'x')
    await database.transact(systemActor, (tx) => tx.enqueue({ name: 'note' }, { wrong: 'shape' }))
    const dead = await until(async () => {
      const list = await listDeadJobs(database.sql)
      return list.length === 2 && list
    })
    expect(dead.map((job) => [job.name, job.attempts]).sort()).toEqual([
      ['hopeless', 1],
      ['note', 1],
    ])
    await expect.poll(node.output).toContain('a job failed for good')
  })

  test('keeps its own error also when its next run cannot be planned', async () => {
    await database.sql.unsafe(`
      create function refuse_plan() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
      create trigger refuse_plan before update of max_attempts on graphile_worker._private_jobs
        for each row execute function refuse_plan()`)
    const node = await startNode()
    await enqueue('hopeless', 'x')
    const lastError = await until(async () => {
      const [job] = await database.sql`select last_error from graphile_worker.jobs where last_error is not null`
      return job?.last_error
    })
    expect(lastError).toBe('it will never work')
    await expect.poll(node.output).toContain('could not be planned')
  })

  test('waits as long as its own plan says', async () => {
    await startNode()
    await enqueue('patient', 'x')
    await until(async () => (await countJobs(database.sql))[0]?.retrying === 1)
    const [row] = await database.sql`select extract(epoch from run_at - now())::int as left from graphile_worker.jobs`
    expect(row?.left).toBeGreaterThan(3_500)
    expect(row?.left).toBeLessThanOrEqual(3_600)
  })
})

test("nodes that run the kernel's own schedules clean what has expired, and no slot fires twice", async () => {
  await Promise.all([startNode({ withMaintenance: '1' }), startNode({ withMaintenance: '1' })])
  await database.sql`
    insert into svc.idempotency_keys (caller, route, key, body_hash, attempt_id, expires_at)
    values ('c', 'r', 'old', 'h', gen_random_uuid(), now() - interval '1 second'),
      ('c', 'r', 'new', 'h', gen_random_uuid(), now() + interval '1 day')`
  await until(async () => {
    const rows = await database.sql`select key from svc.idempotency_keys`
    return rows.length === 1 && rows[0]?.key === 'new'
  })
  const find = () => nodes.flatMap((node) => node.output().match(/Found task \d+ \(kernel\./g) ?? [])
  await expect.poll(find).not.toHaveLength(0)
  const found = find()
  const [slots] = await database.sql`select count(*)::int as n from svc.schedule_slots`
  expect(found.length).toBeLessThanOrEqual(Number(slots?.n))
})
