import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../tests/support/platform.ts'
import { systemActor } from '../kernel/actor.ts'
import { createRateLimits } from '../kernel/rate-limit/index.ts'
import { users } from './schema.ts'
import { passwordGuesses } from './sign-in.ts'
import { createClient } from './testing/client.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let client: ReturnType<typeof createClient>
beforeAll(async () => {
  platform = await startTestPlatform()
  client = createClient(platform)
})
afterAll(() => platform.stop())

const password = 'seven green kettles'

describe('the first run', () => {
  test('nobody signs up before the owner, and the link makes one owner, once', async () => {
    const early = await client.post('/v1/auth/signup', { email: 'early@example.com', password })
    expect([early.status, early.body.error]).toEqual([422, 'signup_disabled'])

    const file = join(platform.dataDir, 'first-run-link')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const link = new URL((await readFile(file, 'utf8')).trim())
    expect(link.origin).toBe(platform.url)
    const token = link.searchParams.get('token')

    const wrong = await client.post('/v1/auth/first-run', { token: `${token}x`, email: 'owner@example.com', password })
    expect([wrong.status, wrong.body.error]).toEqual([403, 'first_run_link_invalid'])
    const claims = await Promise.all(
      ['owner@example.com', 'other@example.com'].map((email) =>
        client.post('/v1/auth/first-run', { token, email, password }),
      ),
    )
    expect(claims.map(({ status }) => status).sort()).toEqual([200, 403])
    const owner = claims.find(({ status }) => status === 200)?.body
    const [row] = await platform.database.sql`select is_operator, email from svc.users`
    expect(row).toMatchObject({ is_operator: true, email: owner.user.email })
    await expect(stat(file)).rejects.toThrow('ENOENT')

    const me = await client.get('/v1/auth/user', owner.session.access_token)
    expect([me.status, me.body.user.email]).toEqual([200, owner.user.email])
  })
})

describe('a person', () => {
  test('signs up in the open mode, signs in by password, and signs out everywhere at once', async () => {
    await client.settings({ sign_up: 'open', email_confirmation: 'off' })
    const email = 'anna@example.com'
    const up = await client.post('/v1/auth/signup', {
      email: ` ${email.toUpperCase()} `,
      password,
      data: { name: 'Anna' },
    })
    expect([up.status, up.body.requires_email_confirmation, up.body.user.email]).toEqual([200, false, email])
    expect(up.body.user.user_metadata).toEqual({ name: 'Anna' })
    const again = await client.post('/v1/auth/signup', { email, password })
    expect([again.status, again.body.error]).toEqual([422, 'user_already_exists'])

    const wrong = await client.post('/v1/auth/sign-in/password', { email, password: 'not the password' })
    expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_credentials'])
    const { body } = await client.post('/v1/auth/sign-in/password', { email, password })
    const tokens = [up.body.session.access_token, body.session.access_token]
    for (const token of tokens) expect((await client.get('/v1/auth/user', token)).status).toBe(200)
    const out = await client.post('/v1/auth/sign-out', {}, tokens[0])
    expect(out.body).toEqual({ ok: true })
    for (const token of tokens) {
      const refused = await client.get('/v1/auth/user', token)
      expect([refused.status, refused.body.error]).toEqual([401, 'invalid_token'])
    }
    const refreshed = await client.post('/v1/auth/refresh', { refresh_token: body.session.refresh_token })
    expect([refreshed.status, refreshed.body.error]).toEqual([400, 'refresh_token_not_found'])
  })

  test('of twelve who sign up with one address at once, one gets it and the others nothing', async () => {
    await client.settings({ sign_up: 'open', email_confirmation: 'off' })
    const email = 'wanted@example.com'
    const attempts = Array.from({ length: 12 }, (_, at) =>
      client.post('/v1/auth/signup', { email, password: `seven green kettles ${at}` }, undefined, client.newIp()),
    )
    const answers = await Promise.all(attempts)
    const winners = answers.flatMap(({ status }, at) => (status === 200 ? [at] : []))
    expect(winners).toHaveLength(1)
    for (const { status, body } of answers) {
      if (status !== 200) expect([status, body.error, body.session]).toEqual([422, 'user_already_exists', undefined])
    }
    expect(await platform.database.sql`select from svc.users where email = ${email}`).toHaveLength(1)
    const passwordOf = (at: number) => ({ email, password: `seven green kettles ${at}` })
    const tries = [winners[0] ?? 0, ((winners[0] ?? 0) + 1) % 12]
    const statuses = []
    for (const at of tries) {
      const answer = await client.post('/v1/auth/sign-in/password', passwordOf(at), undefined, client.newIp())
      statuses.push(answer.status)
    }
    expect(statuses).toEqual([200, 400])
  })

  test('does not come in with a password that is changed while it is compared', async () => {
    await client.settings({ sign_up: 'open', email_confirmation: 'off' })
    const email = 'racing@example.com'
    await client.post('/v1/auth/signup', { email, password })
    const { sql } = platform.database
    const answer = await platform.database.transact(systemActor, async ({ db }) => {
      await db.update(users).set({ passwordHash: null }).where(eq(users.email, email))
      const signingIn = client.post('/v1/auth/sign-in/password', { email, password })
      const waiting = async () =>
        (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length
      await expect.poll(waiting).toBeGreaterThan(0)
      return { signingIn }
    })
    const { status, body } = await answer.signingIn
    expect([status, body.error]).toEqual([400, 'invalid_credentials'])
  })

  test('guessing passwords of one address ends after 100, known or not; signing in starts the count anew', async () => {
    await client.settings({ sign_up: 'open', email_confirmation: 'off' })
    const email = 'guessed@example.com'
    await client.post('/v1/auth/signup', { email, password })
    const limit = createRateLimits({ sql: platform.database.sql }).rateLimit(passwordGuesses)
    for (let guess = 0; guess < 99; guess++) await limit.take(email)
    expect((await client.post('/v1/auth/sign-in/password', { email, password })).status).toBe(200)
    for (const address of [email, 'nobody@example.com']) {
      for (let guess = 0; guess < 100; guess++) await limit.take(address)
      const { status, body, headers } = await client.post('/v1/auth/sign-in/password', { email: address, password })
      expect([status, body.error]).toEqual([429, 'over_request_rate_limit'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })

  test('the 30 attempts a minute of one machine may all be for one address', async () => {
    const email = 'mistyped@example.com'
    const limit = createRateLimits({ sql: platform.database.sql }).rateLimit(passwordGuesses)
    for (let guess = 0; guess < 29; guess++) await limit.take(email)
    const { status, body } = await client.post('/v1/auth/sign-in/password', { email, password })
    expect([status, body.error]).toEqual([400, 'invalid_credentials'])
  })

  test('who has not confirmed the address is refused, and the audit log says so', async () => {
    const email = 'unconfirmed@example.com'
    await client.settings({ sign_up: 'open', email_confirmation: 'off' })
    await client.post('/v1/auth/signup', { email, password })
    await client.settings({ email_confirmation: 'on' })
    const { body } = await client.post('/v1/auth/sign-in/password', { email, password })
    expect(body.error).toBe('email_not_confirmed')
    const events = await platform.database.sql`
      select from svc.audit_events where action = 'auth.login.fail' and error_code = 'email_not_confirmed'`
    expect(events).toHaveLength(1)
    await client.settings({ email_confirmation: 'off' })
  })

  test('signs out of one session, or of all others', async () => {
    const person = await createPerson(platform)
    await client.settings({ sign_up: 'open' })
    const other = await client.sessionFor(person)
    await client.post('/v1/auth/sign-out', { scope: 'others' }, person.accessToken)
    expect((await client.get('/v1/auth/user', person.accessToken)).status).toBe(200)
    expect((await client.get('/v1/auth/user', other)).status).toBe(401)
    await client.post('/v1/auth/sign-out', { scope: 'local' }, person.accessToken)
    expect((await client.get('/v1/auth/user', person.accessToken)).status).toBe(401)
  })

  test.each(['password1', 'Password123!', 'qwertyuiop', 'aaaaaaaa', 'summer2026'])(
    'is refused the common password %s',
    async (weak) => {
      const answer = await client.post('/v1/auth/signup', { email: 'weak@example.com', password: weak })
      expect([answer.status, answer.body.error]).toEqual([422, 'weak_password'])
    },
  )

  test('a new password ends every other session and the old password', async () => {
    const person = await createPerson(platform)
    const other = await client.sessionFor(person)
    const answer = await client.post('/v1/auth/password/update', { password }, person.accessToken)
    expect([answer.status, answer.body.user.id]).toEqual([200, person.userId])
    expect((await client.get('/v1/auth/user', other)).status).toBe(401)
    expect((await client.get('/v1/auth/user', person.accessToken)).status).toBe(200)
    expect((await client.post('/v1/auth/sign-in/password', { email: person.email, password })).status).toBe(200)
  })
})

test('no credential and no address of a failed sign-in stands in the audit log, the logs or in clear in any table', async () => {
  const email = 'canary-address@example.com'
  await client.post('/v1/auth/sign-in/password', { email, password: 'canary password' })
  const audit = await platform.database.sql`select row_to_json(event)::text as text from svc.audit_events as event`
  const all = [...audit.map(({ text }) => String(text)), ...platform.logLines()].join('\n')
  expect(all).toContain('auth.login.fail')
  expect(all).not.toContain('canary')
  expect(all).not.toContain(password)
  const person = await createPerson(platform)
  const dump = await platform.database.sql`
    select row_to_json(t)::text as text from svc.sign_in_tokens t
    union all select row_to_json(t)::text from svc.refresh_tokens t
    union all select row_to_json(t)::text from svc.sign_in_sessions t`
  const stored = dump.map(({ text }) => String(text)).join('\n')
  expect(stored).toContain(person.sessionId)
  expect(stored).not.toContain(person.accessToken)
  expect(stored).not.toContain(person.refreshToken)
})
