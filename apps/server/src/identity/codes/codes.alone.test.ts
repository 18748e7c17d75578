import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPerson } from '../../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { createOwner, registerApp, userinfo } from '../../oauth/testing/third-party-app.ts'
import { createClient, type TestAnswer, unlimited } from '../testing/client.ts'

/** The real library, counted. */
const hashes = vi.hoisted(() => ({ count: 0 }))
vi.mock('@node-rs/argon2', async (importOriginal) => {
  const real = await importOriginal<typeof import('@node-rs/argon2')>()
  const counted =
    <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
    (...args: Args): Result => {
      hashes.count += 1
      return work(...args)
    }
  return { ...real, hash: counted(real.hash), verify: counted(real.verify) }
})

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let client: ReturnType<typeof createClient>
beforeAll(async () => {
  platform = await startTestPlatform(unlimited)
  client = createClient(platform)
  await createPerson(platform, { operator: true })
  await client.settings({ sign_up: 'open', email_confirmation: 'on' })
})
afterAll(() => platform.stop())

const password = 'seven green kettles'
const post = (path: string, body: unknown) => client.post(path, body, undefined, client.newIp())
const sendLink = (email: string, more = {}) => post('/v1/auth/sign-in/magic-link', { email, ...more })
const verify = (email: string, token: string, type = 'magiclink') => post('/v1/auth/verify-otp', { email, token, type })
let addresses = 0
const newAddress = () => `somebody-${addresses++}@example.com`

describe('a mailed code', () => {
  test('signs in a known person once, by code; the link in the same mail is spent with it', async () => {
    const { email, userId } = await createPerson(platform)
    expect((await sendLink(email)).body).toEqual({ sent: true })
    const { code, token } = await client.readMail(email)
    const answer = await verify(email, code)
    expect([answer.status, answer.body.user.id]).toEqual([200, userId])
    expect((await client.get('/v1/auth/user', answer.body.session.access_token)).status).toBe(200)
    for (const proof of [code, token]) {
      const again = await verify(email, proof)
      expect([again.status, again.body.error]).toEqual([403, 'otp_expired'])
    }
  })

  test('the token of the link signs in as well, and only for its own address and purpose', async () => {
    const { email } = await createPerson(platform)
    await sendLink(email)
    const { token } = await client.readMail(email)
    expect((await verify('other@example.com', token)).status).toBe(403)
    expect((await verify(email, token, 'recovery')).status).toBe(403)
    expect((await verify(email, token)).status).toBe(200)
  })

  test('makes a new person where sign-up is open, and none where create_user is false', async () => {
    const email = newAddress()
    await sendLink(email, { data: { team: 'blue' } })
    const { code } = await client.readMail(email)
    const { body } = await verify(email, code)
    expect(body.user).toMatchObject({ email, user_metadata: { team: 'blue' } })
    expect(body.user.email_confirmed_at).not.toBeNull()
    const other = newAddress()
    expect((await sendLink(other, { create_user: false })).body).toEqual({ sent: true })
    await expect(client.readMail(other, 500)).rejects.toThrow('no mail')
  })

  test('five wrong tries burn it: the right code comes too late', async () => {
    const { email } = await createPerson(platform)
    await sendLink(email)
    const { code } = await client.readMail(email)
    const wrong = code === '000000' ? '000001' : '000000'
    for (let tries = 0; tries < 5; tries++) expect((await verify(email, wrong)).status).toBe(403)
    expect((await verify(email, code)).status).toBe(403)
  })

  test('guesses at once are counted one by one: of 40 in parallel at most five are compared with an open code', async () => {
    const { email } = await createPerson(platform)
    await sendLink(email)
    await client.readMail(email)
    const guesses = Array.from({ length: 40 }, (_, at) => String(at).padStart(6, '0'))
    const answers = await Promise.all(guesses.map((guess) => verify(email, guess)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]))
    const [row] = await platform.database.sql`select wrong_tries from svc.one_time_codes where email = ${email}`
    expect(row?.wrong_tries).toBeGreaterThanOrEqual(5)
  })

  test('asking for new codes buys no more than nine guesses an hour for an address', async () => {
    const { email } = await createPerson(platform)
    for (let code = 0; code < 2; code++) {
      await sendLink(email)
      for (let guess = 0; guess < 5; guess++) await verify(email, '000000')
    }
    await sendLink(email)
    const { code } = await client.readMail(email)
    expect((await verify(email, code)).status).toBe(403)
  })

  test('ends after ten minutes, and when a newer one was asked for', async () => {
    const { email } = await createPerson(platform)
    await sendLink(email)
    const first = await client.readMail(email)
    await sendLink(email)
    const second = await client.readMail(email, 60_000, first.mailId)
    if (first.code !== second.code) expect((await verify(email, first.code)).status).toBe(403)
    const { sql } = platform.database
    const [row] = await sql`select expires_at - created_at as life from svc.one_time_codes where email = ${email}`
    expect(String(row?.life)).toBe('00:10:00')
    await sql`update svc.one_time_codes set expires_at = now() where email = ${email}`
    expect((await verify(email, second.code)).status).toBe(403)
  })

  test('stands in no table, log or audit row in clear', async () => {
    const { email } = await createPerson(platform)
    await sendLink(email)
    const { code, token } = await client.readMail(email)
    const { sql } = platform.database
    const rows = await sql`
      select row_to_json(t)::text as text from svc.one_time_codes t where email = ${email}
      union all select row_to_json(t)::text from svc.mails t
      union all select row_to_json(t)::text from svc.audit_events t
      union all select row_to_json(t)::text from graphile_worker._private_jobs t`
    const all = [...rows.map(({ text }) => String(text)), ...platform.logLines()].join('\n')
    expect(all).not.toContain(token)
    expect(all).not.toContain(`"${code}"`)
    expect(all).not.toContain(`: ${code}`)
  })

  test('resets a password: the recovery code opens a session that may choose a new one', async () => {
    const { email } = await createPerson(platform)
    await post('/v1/auth/password/reset', { email })
    const { code } = await client.readMail(email)
    const { body } = await verify(email, code, 'recovery')
    const changed = await client.post('/v1/auth/password/update', { password }, body.session.access_token)
    expect(changed.status).toBe(200)
    expect((await post('/v1/auth/sign-in/password', { email, password })).status).toBe(200)
  })

  test('a link to an unconfirmed address takes the account over: the password set before is gone', async () => {
    const { email, accessToken, userId } = await createPerson(platform, { confirmed: false })
    await client.post('/v1/auth/password/update', { password }, accessToken)
    const refused = await post('/v1/auth/sign-in/password', { email, password })
    expect([refused.status, refused.body.error]).toEqual([400, 'email_not_confirmed'])
    await sendLink(email)
    const { code } = await client.readMail(email)
    const { body } = await verify(email, code)
    expect(body.user.id).toBe(userId)
    expect((await client.get('/v1/auth/user', accessToken)).status).toBe(401)
    expect((await post('/v1/auth/sign-in/password', { email, password })).body.error).toBe('invalid_credentials')
  })

  test.each([
    ['magic link', 'magiclink', '/v1/auth/sign-in/magic-link'],
    ['password reset', 'recovery', '/v1/auth/password/reset'],
  ])(
    'by %s the owner of the mailbox shuts out whoever used the address before: password, keys and apps',
    async (_, type, path) => {
      const squatter = await createPerson(platform, { confirmed: false })
      const { email, accessToken } = squatter
      await client.post('/v1/auth/password/update', { password }, accessToken)
      const { body: key } = await client.post('/v1/accounts/tokens', { name: 'kept for later' }, accessToken)
      const app = await registerApp(platform.url, await createOwner(platform))
      const granted = await app.obtainTokens(squatter)
      const waiting = await app.obtainCode(squatter)
      expect((await client.get('/v1/accounts/me', key.secret_key)).status).toBe(200)
      expect((await userinfo(platform.url, granted.access_token)).status).toBe(200)

      await post(path, { email })
      const { code } = await client.readMail(email)
      expect((await verify(email, code, type)).status).toBe(200)

      expect((await client.get('/v1/auth/user', accessToken)).status).toBe(401)
      expect((await client.get('/v1/accounts/me', key.secret_key)).status).toBe(401)
      expect((await userinfo(platform.url, granted.access_token)).status).toBe(401)
      expect((await app.refresh(granted.refresh_token)).status).toBe(400)
      expect((await app.exchange(waiting.code, waiting.verifier)).status).toBe(400)
      expect((await post('/v1/auth/sign-in/password', { email, password })).body.error).toBe('invalid_credentials')
    },
  )

  test('more than ten mails an hour to one address are refused, whether or not it is known', async () => {
    for (const email of [newAddress(), (await createPerson(platform)).email]) {
      const statuses: number[] = []
      for (let mail = 0; mail < 11; mail++) statuses.push((await sendLink(email)).status)
      expect(statuses).toEqual([...Array(10).fill(200), 429])
      const refused = await sendLink(email)
      expect(refused.body.error).toBe('over_email_send_rate_limit')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })
})

describe('sign-up with confirmation', () => {
  test('nobody exists before the mailed code is used; then the password works', async () => {
    const email = newAddress()
    const answer = await post('/v1/auth/signup', { email, password })
    expect(answer.body).toEqual({ user: null, session: null, requires_email_confirmation: true })
    const { sql } = platform.database
    expect(await sql`select from svc.users where email = ${email}`).toHaveLength(0)
    expect((await post('/v1/auth/sign-in/password', { email, password })).status).toBe(400)
    const { code } = await client.readMail(email)
    expect((await verify(email, code, 'signup')).status).toBe(200)
    expect((await post('/v1/auth/sign-in/password', { email, password })).status).toBe(200)
  })

  test('of sign-ups with different passwords none counts: who confirms chooses one by a reset', async () => {
    const email = newAddress()
    await post('/v1/auth/signup', { email, password })
    const first = await client.readMail(email)
    await post('/v1/auth/signup', { email, password: 'nine purple ladders' })
    const { token } = await client.readMail(email, 60_000, first.mailId)
    expect((await verify(email, token, 'signup')).status).toBe(200)
    const [row] = await platform.database.sql`select password_hash from svc.users where email = ${email}`
    expect(row?.password_hash).toBeNull()
  })

  test('signing up again with the same password keeps it', async () => {
    const email = newAddress()
    for (let times = 0; times < 2; times++) await post('/v1/auth/signup', { email, password })
    const [row] = await platform.database.sql`select password_hash from svc.one_time_codes where email = ${email}`
    expect(row?.password_hash).toMatch(/^\$argon2id/)
  })

  test('a second sign-up of a known address tells its owner by mail and changes nothing', async () => {
    const { email, userId } = await createPerson(platform)
    await post('/v1/auth/signup', { email, password })
    const { subject, text } = await client.readMail(email)
    expect(subject).toBe('You already have an account')
    expect(text).not.toMatch(/\d{6}|token=/)
    const [row] = await platform.database.sql`select password_hash from svc.users where user_id = ${userId}`
    expect(row?.password_hash).toBeNull()
  })
})

describe('a known and an unknown address, and an invited one', () => {
  const shown = ({ status, headers, body }: TestAnswer) => {
    const names = [...headers.keys()].filter((name) => !['x-request-id', 'traceparent', 'date'].includes(name))
    return { status, body, headers: names.map((name) => [name, headers.get(name)]) }
  }
  /** Every mail job begins with a row, which decoys lose again: so the inserts are counted. */
  const countMails = async () => {
    const [row] = await platform.database.sql`select last_value::int as mails from svc.counted_mails`
    return Number(row?.mails)
  }
  beforeAll(async () => {
    await platform.database.sql.unsafe(`
      create sequence svc.counted_mails;
      create function svc.count_mail() returns trigger language plpgsql as
        $$ begin perform nextval('svc.counted_mails'); return new; end $$;
      create trigger count_mail after insert on svc.mails for each row execute function svc.count_mail();
      select nextval('svc.counted_mails');`)
  })

  test.each([
    ['sign-in by password', '/v1/auth/sign-in/password', { password: 'not the password' }],
    ['magic link', '/v1/auth/sign-in/magic-link', { create_user: false }],
    ['password reset', '/v1/auth/password/reset', {}],
    ['sign-up', '/v1/auth/signup', { password }],
    ['wrong code', '/v1/auth/verify-otp', { token: '123456', type: 'magiclink' }],
  ])('%s: the same answer, headers, hashes and mails', async (_name, path, body) => {
    const known = (await createPerson(platform)).email
    const answers = []
    for (const email of [known, newAddress()]) {
      const [hashesBefore, mailsBefore] = [hashes.count, await countMails()]
      const answer = await post(path, { email, ...body })
      answers.push({
        ...shown(answer),
        hashes: hashes.count - hashesBefore,
        mails: (await countMails()) - mailsBefore,
      })
    }
    expect(answers[1]).toEqual(answers[0])
  })

  test('where signing up needs an invitation: the same for invited, known and other addresses; one can join', async () => {
    await client.settings({ sign_up: 'invitation' })
    const owner = await createPerson(platform)
    const { body: account } = await client.post('/v1/accounts', { name: 'Team' }, owner.accessToken)
    const invite = async (email: string) => {
      const { body } = await client.post(`/v1/accounts/${account.account_id}/members`, { email }, owner.accessToken)
      return body.invite_id as string
    }
    const invited = newAddress()
    const withdrawn = newAddress()
    await invite(invited)
    const inviteId = await invite(withdrawn)
    const stranger = newAddress()
    const answers = []
    for (const email of [invited, stranger, (await createPerson(platform)).email, withdrawn]) {
      const [hashesBefore, mailsBefore] = [hashes.count, await countMails()]
      const answer = shown(await post('/v1/auth/signup', { email, password }))
      answers.push({ ...answer, hashes: hashes.count - hashesBefore, mails: (await countMails()) - mailsBefore })
    }
    expect(answers[0]?.body).toEqual({ user: null, session: null, requires_email_confirmation: true })
    for (const answer of answers) expect(answer).toEqual(answers[0])

    const { code } = await client.readMailWithCode(invited)
    expect((await verify(invited, code, 'signup')).status).toBe(200)
    await expect(client.readMail(stranger, 500)).rejects.toThrow('no mail')

    const late = await client.readMailWithCode(withdrawn)
    await client.send(`/v1/accounts/${account.account_id}/invites/${inviteId}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${owner.accessToken}` },
    })
    expect((await verify(withdrawn, late.code, 'signup')).status).toBe(403)
    await client.settings({ sign_up: 'open' })
  })
})
