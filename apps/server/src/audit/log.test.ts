import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../../../../tests/support/people.ts'
import { newId } from '../kernel/ids/index.ts'
import { mintToken } from '../kernel/tokens/index.ts'
import type { EventRecord } from './event-record.ts'
import { type AuditPlatform, startAuditPlatform } from './testing/start-audit.ts'

let audit: AuditPlatform
beforeAll(async () => {
  audit = await startAuditPlatform()
})
afterAll(() => audit.stop())

interface Page {
  readonly events: readonly EventRecord[]
  readonly next_cursor: string | null
}

async function readPage(accountId: string, query: Record<string, string> = {}): Promise<Page> {
  const response = await audit.call(`/v1/accounts/${accountId}/audit?${new URLSearchParams(query)}`)
  expect([response.status, query]).toEqual([200, query])
  return (await response.json()) as Page
}

const actionsOf = ({ events }: Page) => events.map(({ action }) => action)

describe('the log', () => {
  test('a reader sees every event and request before its read, newest first, each with its place in the chain', async () => {
    const accountId = await audit.addAccount(audit.owner.userId)
    await audit.emit(['thing.one', 'thing.two'], accountId)
    await readPage(accountId)
    const { events, next_cursor } = await readPage(accountId)
    expect(events.map(({ action, sequence }) => [sequence, action])).toEqual([
      [3, 'GET /v1/accounts/:accountId/audit'],
      [2, 'thing.two'],
      [1, 'thing.one'],
    ])
    expect(next_cursor).toBeNull()
    const [third, second, first] = events
    expect(first?.previous_hash).toBe('0'.repeat(64))
    expect(second?.previous_hash).toBe(first?.hash)
    expect(third?.previous_hash).toBe(second?.hash)
  })

  test('events get their place by themselves, without a reader', async () => {
    const accountId = await audit.addAccount(audit.owner.userId)
    await audit.emit(['thing.one', 'thing.two'], accountId)
    const seals = () => audit.database.sql`select sequence from svc.audit_seals where account_id = ${accountId}`
    await expect.poll(async () => (await seals()).length).toBe(2)
  })

  test('pages follow each other with no event twice and none missing, also within one millisecond', async () => {
    const accountId = await audit.addAccount(audit.owner.userId)
    const at = new Date(Date.now() - 60_000).toISOString()
    await audit.database.sql`
      insert into svc.audit_events (event_id, occurred_at, account_id, action)
      select gen_random_uuid(), ${at}::timestamptz, ${accountId}, 'same.moment.' || n from generate_series(1, 25) n`
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Page = await readPage(accountId, { action: 'same.', limit: '4', ...(cursor ? { cursor } : {}) })
      seen.push(...page.events.map(({ event_id }) => event_id))
      cursor = page.next_cursor
    } while (cursor)
    expect(seen).toHaveLength(25)
    expect(new Set(seen).size).toBe(25)
    expect([...seen].sort().reverse()).toEqual(seen)
  })

  test('each filter finds what it names and nothing else', async () => {
    const accountId = await audit.addAccount(audit.owner.userId)
    const [projectId, sessionId] = [newId(), newId()]
    await audit.database.transact({ type: 'human', userId: 'u1', accountId, source: 'human' }, async (tx) => {
      await tx.audit({ action: 'iam.role.create', resourceType: 'role', resourceId: 'R-1', projectId })
      await tx.audit({ action: 'iam.role', outcome: 'denied', sessionId })
      await tx.audit({ action: 'iam.roles.other', correlationId: 'c-1', actorType: 'agent', requestId: 'r-1' })
      await tx.audit({ action: 'iam%x', actorUserId: 'u2', source: 'api', clientReportedSource: 'cli', traceId: 'xYz' })
    })
    const expected: [Record<string, string>, string[]][] = [
      [{ action: 'iam.role' }, ['iam.role', 'iam.role.create']],
      [{ action: 'iam.role.' }, ['iam.role.create']],
      [{ action: 'iam' }, ['iam%x', 'iam.role', 'iam.role.create', 'iam.roles.other']],
      [{ action: 'iam%' }, ['iam%x']],
      [{ actor: 'u2' }, ['iam%x']],
      [{ actor_type: 'agent' }, ['iam.roles.other']],
      [{ project_id: projectId }, ['iam.role.create']],
      [{ session_id: sessionId }, ['iam.role']],
      [{ source: 'cli' }, ['iam%x']],
      [{ source: 'api', actor: 'u2' }, ['iam%x']],
      [{ phase: 'denied' }, ['iam.role']],
      [{ outcome: 'denied' }, ['iam.role']],
      [{ request_id: 'r-1' }, ['iam.roles.other']],
      [{ correlation_id: 'c-1' }, ['iam.roles.other']],
      [{ resource_type: 'ro' }, ['iam.role.create']],
      [{ q: 'r-1', actor: 'u1' }, ['iam.role.create', 'iam.roles.other']],
      [{ q: 'XYZ' }, ['iam%x']],
      [{ q: 'm%x' }, ['iam%x']],
      [{ q: projectId.slice(3, 20).toUpperCase() }, ['iam.role.create']],
      [{ actor: 'u1', until: '2020-01-01T00:00:00Z' }, []],
      [{ actor: 'u2', since: '2020-01-01T00:00:00+02:00' }, ['iam%x']],
    ]
    for (const [query, actions] of expected) {
      expect([query, actionsOf(await readPage(accountId, query)).sort()]).toEqual([query, actions])
    }
  })

  test('since and until include the very instant, and only it', async () => {
    const accountId = await audit.addAccount(audit.owner.userId)
    for (const ms of ['001', '002', '003']) {
      await audit.database.sql`insert into svc.audit_events (event_id, occurred_at, account_id, action)
        values (gen_random_uuid(), ${`2026-01-01T00:00:00.${ms}Z`}::timestamptz, ${accountId}, ${`at.${ms}`})`
    }
    const at = '2026-01-01T00:00:00.002Z'
    expect(actionsOf(await readPage(accountId, { since: at, until: at }))).toEqual(['at.002'])
    const between = { since: '2026-01-01T00:00:00.0015Z', until: '2026-01-01T01:00:00.0025+01:00' }
    expect(actionsOf(await readPage(accountId, between))).toEqual(['at.002'])
  })

  test('a filter that cannot be understood is refused, never ignored', async () => {
    const bad = [
      'since=yesterday',
      'since=2026-01-01T00:00:00',
      'until=2026-13-01T00:00:00Z',
      'since=0000-01-01T00:00:00Z',
      'limit=0',
      'limit=201',
      'limit=ten',
      'limit=',
      'outcome=maybe',
      'actor_type=robot',
      'project_id=7',
      'session_id=x',
      'cursor=abc',
      'cursor=2026-01-01T00:00:00.000Z|7',
      `cursor=2026-01-01|${newId()}`,
      `cursor=0000-01-01T00:00:00.000Z|${newId()}`,
      'action=',
      'action=a%00b',
      'q=%00',
      'acton=iam',
    ]
    for (const query of bad) {
      for (const path of ['audit', 'audit/export']) {
        if (path === 'audit/export' && query === 'limit=201') continue
        const response = await audit.call(`/v1/accounts/${audit.accountId}/${path}?${query}`)
        expect([path, query, response.status]).toEqual([path, query, 400])
        await response.arrayBuffer()
      }
    }
  })

  test('an account is read by those who hold audit.read there, with the entitlement, and by nobody else', async () => {
    const [stranger, member] = [await createPerson(audit), await createPerson(audit)]
    await audit.addMember(audit.accountId, member.userId, 'builtin:member')
    const path = `/v1/accounts/${audit.accountId}/audit`
    for (const as of [stranger, member]) expect((await audit.call(path, { as })).status).toBe(403)
    expect((await fetch(audit.url + path)).status).toBe(401)
    const denied = await readPage(audit.accountId, { outcome: 'denied' })
    expect(denied.events.map(({ actor_user_id }) => actor_user_id)).toEqual([member.userId])
  })

  test('events of no account are one chain that operators read', async () => {
    const operator = await createPerson(audit, { operator: true })
    await audit.database.transact({ type: 'system' }, (tx) => tx.audit({ action: 'instance.thing' }))
    expect((await audit.call('/v1/audit')).status).toBe(403)
    const response = await audit.call('/v1/audit?action=instance.', { as: operator })
    const { events } = (await response.json()) as Page
    expect(events).toMatchObject([{ action: 'instance.thing', account_id: null, sequence: expect.any(Number) }])
  })
})

describe('request rows', () => {
  test('hold the template, outcome and ids of a request and nothing that was sent', async () => {
    const accountId = await audit.addAccount(audit.owner.userId)
    const canary = mintToken('svc_pat_')
    const secretWord = 'a-prompt-nobody-may-keep'
    await audit.call(`/v1/accounts/${accountId}/iam/groups?cursor=${canary}`, {
      headers: { 'x-correlation-id': canary, 'user-agent': `x ${canary}`, 'x-svc-client': 'cli' },
    })
    await audit.call(`/v1/accounts/${accountId}/iam/groups`, {
      method: 'POST',
      body: JSON.stringify({ name: secretWord.repeat(20), description: canary }),
    })
    const { events } = await readPage(accountId, { action: 'POST ' })
    expect(events).toMatchObject([
      {
        action: 'POST /v1/accounts/:accountId/iam/groups',
        outcome: 'failure',
        phase: 'failed',
        http_status: 400,
        error_code: 'validation_failed',
        actor_user_id: audit.owner.userId,
        actor_type: 'human',
        source: 'human',
        metadata: { method: 'POST', path: '/v1/accounts/:accountId/iam/groups' },
        duration_ms: expect.any(Number),
        request_id: expect.any(String),
        trace_id: expect.any(String),
      },
    ])
    const rows = await audit.database.sql`select e::text as text from svc.audit_events e`
    for (const { text } of rows) {
      expect(text).not.toContain(canary)
      expect(text).not.toContain(secretWord)
      expect(text).not.toContain(audit.owner.accessToken)
    }
  })

  test('a path value that is no UUID is stored nowhere', async () => {
    const before = await audit.database.sql`select from svc.audit_events`
    await audit.call(`/v1/accounts/capability-in-a-path/audit`)
    await readPage(audit.accountId)
    const rows = await audit.database.sql`select e::text as text from svc.audit_events e`
    expect(rows.length).toBeGreaterThan(before.length)
    for (const { text } of rows) expect(text).not.toContain('capability-in-a-path')
  })

  test('public calls leave no row', async () => {
    await fetch(`${audit.url}/v1/health`)
    await fetch(`${audit.url}/v1/audit/keys`)
    await readPage(audit.accountId)
    const rows = await audit.database.sql`select from svc.audit_events where action in
      ('GET /v1/health', 'GET /v1/audit/keys')`
    expect(rows).toHaveLength(0)
  })
})
