import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../tests/support/platform.ts'
import { createClient, unlimited } from '../identity/testing/client.ts'

/** A real mail server on loopback. */
const received: { to: string[]; source: string }[] = []
let refusals = 0
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onRcptTo(address, _session, done) {
    if (address.address.startsWith('gone@'))
      return done(Object.assign(new Error('no such user'), { responseCode: 550 }))
    if (refusals > 0) {
      refusals -= 1
      return done(Object.assign(new Error('try later'), { responseCode: 451 }))
    }
    done()
  },
  async onData(stream, session, done) {
    const source = await text(stream)
    received.push({ to: session.envelope.rcptTo.map(({ address }) => address), source })
    done()
  },
})

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let client: ReturnType<typeof createClient>
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  platform = await startTestPlatform({
    ...unlimited,
    SVC_SMTP_URL: `smtp://127.0.0.1:${port}`,
    SVC_MAIL_FROM: 'Agents <agents@example.com>',
  })
  client = createClient(platform)
  await createPerson(platform, { operator: true })
  await client.settings({ sign_up: 'open' })
})
afterAll(async () => {
  await platform?.stop()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})

async function waitForMail(to: string): Promise<string> {
  for (let waits = 0; waits < 1_200; waits++) {
    const mail = received.find((entry) => entry.to.includes(to))
    if (mail) return mail.source.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`no mail to ${to}`)
}
const leftovers = (to: string) => platform.database.sql`select from svc.mails where to_address = ${to}`

describe('mail over SMTP', () => {
  test('a sign-in mail is plain and short, its code works, and nothing of it stays here', async () => {
    const { email } = await createPerson(platform)
    await client.post('/v1/auth/sign-in/magic-link', { email }, undefined, client.newIp())
    const source = await waitForMail(email)
    expect(source).toContain('From: Agents <agents@example.com>')
    expect(source).toContain('Content-Type: text/plain')
    expect(source).toContain(`${platform.url}/sign-in/link?token=`)
    const token = /code: (\d{6})/.exec(source)?.[1]
    const answer = await client.post(
      '/v1/auth/verify-otp',
      { email, token, type: 'magiclink' },
      undefined,
      client.newIp(),
    )
    expect(answer.status).toBe(200)
    for (let waits = 0; (await leftovers(email)).length > 0 && waits < 1_200; waits++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(await leftovers(email)).toHaveLength(0)
  })

  test('addresses are confirmed when mail can leave', async () => {
    const email = 'confirm@example.com'
    const answer = await client.post(
      '/v1/auth/signup',
      { email, password: 'seven green kettles' },
      undefined,
      client.newIp(),
    )
    expect(answer.body.requires_email_confirmation).toBe(true)
    expect(await waitForMail(email)).toContain('/sign-up/confirm?token=')
  })

  test('a mail the server cannot take now is tried again, with the same message id', async () => {
    const { email } = await createPerson(platform)
    refusals = 1
    await client.post('/v1/auth/password/reset', { email }, undefined, client.newIp())
    const { sql } = platform.database
    const hurry = () => sql`update graphile_worker._private_jobs set run_at = now() where run_at > now()`
    await expect.poll(async () => (await hurry()).count).toBeGreaterThan(0)
    expect(await waitForMail(email)).toContain('/password/new?token=')
    expect(received.filter((mail) => mail.to.includes(email))).toHaveLength(1)
  })

  test('a mail refused for good becomes a dead letter; neither address, link nor code reaches the log', async () => {
    const { email } = await createPerson(platform, { email: 'gone@example.com' })
    await client.post('/v1/auth/sign-in/magic-link', { email }, undefined, client.newIp())
    let line: string | undefined
    for (let waits = 0; line === undefined && waits < 1_200; waits++) {
      line = platform.logLines().find((entry) => entry.includes('dead letter'))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(line).toContain('(550)')
    const all = platform.logLines().join('\n')
    expect(all).not.toContain('gone@')
    expect(all).not.toContain('token=')
  })

  test('with a mail server there is no local mailbox', async () => {
    expect((await client.get('/dev/mailbox')).status).toBe(404)
  })
})
