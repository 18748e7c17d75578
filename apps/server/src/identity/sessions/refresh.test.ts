import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { createClient, unlimited } from '../testing/client.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let client: ReturnType<typeof createClient>
beforeAll(async () => {
  platform = await startTestPlatform(unlimited)
  client = createClient(platform)
})
afterAll(() => platform.stop())

const scale = process.env.SVC_TEST_LONG ? 1 : 0.1
const refresh = (token: string) => client.post('/v1/auth/refresh', { refresh_token: token }, undefined, client.newIp())
const age = (seconds: number) =>
  platform.database.sql`
    update svc.refresh_tokens set spent_at = spent_at - ${seconds}::float8 * interval '1 second' where spent_at is not null`

describe('refresh', () => {
  test('100 parallel refreshes with one token all get one and the same new session', async () => {
    const person = await createPerson(platform)
    const answers = await Promise.all(Array.from({ length: 100 }, () => refresh(person.refreshToken)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const sessions = new Set(
      answers.map(({ body: { session } }) => `${session.access_token} ${session.refresh_token} ${session.expires_at}`),
    )
    expect(sessions.size).toBe(1)
    const { access_token: access, refresh_token: next } = answers[0]?.body.session ?? {}
    expect(access).not.toBe(person.accessToken)
    expect(next).not.toBe(person.refreshToken)
    expect((await client.get('/v1/auth/user', access)).status).toBe(200)
    expect((await client.get('/v1/auth/user', person.accessToken)).status).toBe(200)
  })

  test('five tabs that refresh together, round after round, are never signed out', async () => {
    const person = await createPerson(platform)
    let current = person.refreshToken
    for (let round = 0; round < 200 * scale; round++) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(current)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
      current = answers[round % 5]?.body.session.refresh_token
    }
  })

  test('a tab that comes late gets the newest session, not one that another tab has spent meanwhile', async () => {
    const person = await createPerson(platform)
    const first = (await refresh(person.refreshToken)).body.session
    const second = (await refresh(first.refresh_token)).body.session
    const late = (await refresh(person.refreshToken)).body.session
    expect(late.refresh_token).toBe(second.refresh_token)
    expect(late.access_token).toBe(second.access_token)
  })

  test('a replay after ten seconds ends the whole session: access, refresh, and every descendant', async () => {
    const person = await createPerson(platform)
    const next = (await refresh(person.refreshToken)).body.session
    await age(11)
    const replayed = await refresh(person.refreshToken)
    expect([replayed.status, replayed.body.error]).toEqual([400, 'refresh_token_not_found'])
    expect((await refresh(next.refresh_token)).status).toBe(400)
    for (const token of [person.accessToken, next.access_token]) {
      expect((await client.get('/v1/auth/user', token)).status).toBe(401)
    }
    const events = await platform.database.sql`
      select action from svc.audit_events where resource_id = ${person.sessionId} and action = 'auth.refresh.reused'`
    expect(events).toHaveLength(1)
  })

  test('a repeat at nine seconds still gets the same session', async () => {
    const person = await createPerson(platform)
    const next = (await refresh(person.refreshToken)).body.session
    await age(9)
    expect((await refresh(person.refreshToken)).body.session.refresh_token).toBe(next.refresh_token)
  })

  test.each(['', 'x', 'svc_pat_aaaa', 'A'.repeat(43), 'A'.repeat(257)])(
    'the made-up token %s is refused',
    async (token) => {
      expect((await refresh(token)).status).toBe(400)
    },
  )

  test('an expired refresh token and an expired access token are refused', async () => {
    const person = await createPerson(platform)
    const { sql } = platform.database
    await sql`update svc.refresh_tokens set expires_at = now() where session_id = ${person.sessionId}`
    await sql`update svc.sign_in_tokens set expires_at = now() where session_id = ${person.sessionId}`
    expect((await refresh(person.refreshToken)).status).toBe(400)
    expect((await client.get('/v1/auth/user', person.accessToken)).status).toBe(401)
  })
})
