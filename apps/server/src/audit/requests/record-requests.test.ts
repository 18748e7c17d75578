import type { IncomingMessage } from 'node:http'
import { operation } from '@svc/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createFakeClock } from '../../kernel/clock/index.ts'
import type { Database } from '../../kernel/database/index.ts'
import { createTestDatabase } from '../../kernel/database/testing.ts'
import { describeActor, type Finished, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { createLogger, createMemoryWriter } from '../../kernel/log/index.ts'
import { anonymousPrincipal, type Principal } from '../../kernel/principal.ts'
import { outcomeOf, readPathIds } from './describe-request.ts'
import { createRequestRecorder } from './record-requests.ts'

const base = { summary: 'For a test', returns: z.string() } as const
const readThing = operation({
  ...base,
  id: 'test.read',
  at: 'GET /v1/projects/:projectId/things/:name',
  needs: 'signed-in',
  audit: 'request',
})
const readAccount = operation({
  ...base,
  id: 'test.acc',
  at: 'GET /v1/accounts/:accountId',
  needs: 'user',
  audit: 'request',
})
const silent = operation({ ...base, id: 'test.silent', at: 'GET /v1/silent', needs: 'signed-in', audit: 'none' })

let database: Database
let writer: ReturnType<typeof createMemoryWriter>
beforeEach(async () => {
  database = await createTestDatabase()
  writer = createMemoryWriter()
})
afterEach(() => database.close())

const clock = createFakeClock(Date.now())
const start = (over: Partial<Pick<Database, 'db' | 'sql'>> = {}) =>
  createRequestRecorder(
    { database: { ...database, ...over }, clock, log: createLogger({ writer }) },
    { maxWaiting: 1_500 },
  )

const userId = newId()

function finished(over: Partial<Finished> & { url?: string; of?: typeof readThing; actor?: object } = {}): Finished {
  const { url = `/v1/projects/${newId()}/things/x?secret=1`, of = readThing, actor = {}, ...rest } = over
  // Of the message only the address and the headers are read.
  const incoming = { url, headers: { 'user-agent': 'test/1' } } as IncomingMessage
  const request = {
    id: newId(),
    trace: { traceId: 'a'.repeat(32), traceparent: '' } as Finished['request']['trace'],
    ip: '192.0.2.1',
    operation: of,
    incoming,
    clientSource: 'cli',
    correlationId: 'c-1',
  }
  const nobody = anonymousPrincipal({ ...describeActor(request), type: 'human', source: 'human', userId, ...actor })
  const principal: Principal = { ...nobody, kind: 'user', id: userId }
  return { request, principal, status: 200, durationMs: 12.6, problem: undefined, fault: undefined, ...rest }
}

const rows = () => database.sql`select * from svc.audit_events order by occurred_at, event_id`

describe('the recorder of requests', () => {
  test('stores one row per authenticated request once it is flushed', async () => {
    const recorder = start()
    const projectId = newId()
    recorder.record(finished({ url: `/v1/projects/${projectId.toUpperCase()}/things/a-capability?token=b` }))
    recorder.record(finished({ of: silent, url: '/v1/silent' }))
    recorder.record(finished({ principal: undefined }))
    recorder.record(finished({ principal: anonymousPrincipal({ type: 'anonymous' }) }))
    await recorder.flush()
    const [row, ...others] = await rows()
    expect(others).toEqual([])
    expect(row).toMatchObject({
      action: 'GET /v1/projects/:projectId/things/:name',
      outcome: 'success',
      http_status: 200,
      duration_ms: 13,
      project_id: projectId,
      actor_user_id: userId,
      client_reported_source: 'cli',
      correlation_id: 'c-1',
      ip: '192.0.2.1',
      user_agent: 'test/1',
      metadata: { method: 'GET', path: '/v1/projects/:projectId/things/:name' },
    })
    expect(JSON.stringify(row)).not.toContain('a-capability')
  })

  test('stores by itself after a moment, and everything at the stop', async () => {
    const recorder = start()
    recorder.record(finished())
    expect(await rows()).toHaveLength(0)
    await clock.advance(1_000)
    await recorder.flush()
    expect(await rows()).toHaveLength(1)
    for (let index = 0; index < 600; index += 1) recorder.record(finished())
    await recorder.stop()
    expect(await rows()).toHaveLength(601)
  })

  test('a refusal is told to the account it named only when the caller belongs there', async () => {
    const [own, foreign] = [newId(), newId()]
    for (const id of [own, foreign]) {
      await database.sql`insert into svc.accounts (account_id, name) values (${id}, 'An account')`
    }
    await database.sql`
      insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type)
      values (${newId()}, ${own}, 'user', ${userId}, 'builtin:member', 'account')`
    const projectId = newId()
    await database.sql`insert into svc.projects (project_id, account_id, name) values (${projectId}, ${own}, 'A project')`
    const recorder = start()
    const refused = { status: 403, problem: problem('forbidden') }
    recorder.record(finished({ ...refused, of: readAccount, url: `/v1/accounts/${own}` }))
    recorder.record(finished({ ...refused, of: readAccount, url: `/v1/accounts/${foreign}` }))
    recorder.record(finished({ ...refused, of: readAccount, url: `/v1/accounts/${newId()}` }))
    recorder.record(finished({ ...refused, url: `/v1/projects/${projectId}/things/x` }))
    await recorder.flush()
    const seen = await rows()
    expect(seen.map((row) => row.account_id).sort()).toEqual([own, own, null, null].sort())
    expect(seen[0]).toMatchObject({ outcome: 'denied', phase: 'denied', error_code: 'forbidden' })
  })

  test('while the database is away requests wait, bounded; then all that waited are stored and the rest are counted', async () => {
    let away = true
    const db: Database['db'] = new Proxy(database.db, {
      get(target, name, self) {
        if (name !== 'execute' || !away) return Reflect.get(target, name, self)
        return () => Promise.reject(new Error('the database is away'))
      },
    })
    const recorder = start({ db })
    for (let index = 0; index < 1_510; index += 1) recorder.record(finished())
    await expect(recorder.flush()).rejects.toThrow('away')
    away = false
    await recorder.flush()
    const [counts] = await database.sql`
      select count(*) filter (where action like 'GET %')::int as stored,
        max((metadata->>'count')::int) filter (where action = 'audit.requests.dropped') as dropped
      from svc.audit_events`
    expect(counts).toEqual({ stored: 1_500, dropped: 10 })
  })

  test('a row the database refuses keeps no other out and is reported', async () => {
    const recorder = start()
    recorder.record(finished())
    recorder.record(finished({ actor: { type: 'nobody we know' } }))
    recorder.record(finished())
    await recorder.flush()
    expect(await rows()).toHaveLength(2)
    expect(writer.lines.join('\n')).toContain('does not fit the audit log')
  })
})

test('outcomes follow from the status', () => {
  expect([200, 201, 202, 204, 302, 400, 401, 403, 404, 409, 429, 500, 503].map(outcomeOf)).toEqual([
    ...['success', 'success', 'pending', 'success', 'success', 'failure', 'denied', 'denied'],
    ...['failure', 'failure', 'failure', 'failure', 'failure'],
  ])
})

test('ids are read from their places in the template, and nothing after a pattern', () => {
  const id = newId()
  expect(readPathIds('/v1/a/:projectId/b/:name', `/v1/a/${id}/b/secret?x=${id}`)).toEqual({ projectId: id })
  expect(readPathIds('/v1/a/:path{.+}/:sessionId', `/v1/a/x/${id}`)).toEqual({})
  expect(readPathIds('/v1/a/:projectId', '/v1/a/not-an-id')).toEqual({})
})
