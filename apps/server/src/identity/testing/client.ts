import { createPerson, type Person } from '../../../../../tests/support/people.ts'
import type { Database } from '../../kernel/database/index.ts'

interface TestPlatform {
  readonly url: string
  readonly database: Database
  readonly dataDir: string
}

export interface TestAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any
}

/** Lets `newIp` choose the caller's address, so that tests of other promises do not meet the rate limit. */
export const unlimited = { SVC_TRUSTED_PROXIES: '127.0.0.1' }

let lastIp = 0

/** Calls a running test platform as an app would. */
export function createClient(platform: TestPlatform) {
  async function send(path: string, init: RequestInit): Promise<TestAnswer> {
    const response = await fetch(`${platform.url}${path}`, { redirect: 'manual', ...init })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
  }
  async function waitForMail(to: string, waitMs: number, fits: (mail: MailAnswer) => boolean) {
    for (const untilMs = Date.now() + waitMs; Date.now() < untilMs; ) {
      const { body } = await send('/v1/operator/mailbox', { headers: bearer(await reader()) })
      const found = body.mails.find((mail: MailAnswer) => mail.to === to && fits(mail))
      if (found) return readCodes(found)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`no mail to ${to}`)
  }
  /** Who may read every mail, and owns nothing. */
  let readerToken: Promise<string> | undefined
  const reader = () => {
    readerToken ??= createPerson(platform).then(async ({ userId, accessToken }) => {
      await platform.database.sql`update svc.users set is_operator = true where user_id = ${userId}`
      return accessToken
    })
    return readerToken
  }
  const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` })

  return {
    send,
    newIp: () => {
      lastIp += 1
      return { 'x-forwarded-for': `10.${lastIp >> 16}.${(lastIp >> 8) & 255}.${lastIp & 255}` }
    },
    get: (path: string, token?: string) => send(path, { headers: bearer(token) }),
    post: (path: string, body: unknown, token?: string, headers: Record<string, string> = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(token), ...headers },
        body: JSON.stringify(body),
      }),
    /** Changes instance settings behind the platform's back, and waits until no cache holds the old ones. */
    async settings(change: { sign_up?: string; email_confirmation?: string; redirect_allow_list?: string[] }) {
      const read = () => platform.database.sql`select to_jsonb(row)::text as all from svc.instance_settings row`
      const before = await read()
      await platform.database.sql`update svc.instance_settings set ${platform.database.sql(change)}`
      await platform.database.sql`update svc.instance_settings
        set owner_user_id = coalesce(owner_user_id, (select user_id from svc.users limit 1))`
      const after = await read()
      if (before[0]?.all !== after[0]?.all) await new Promise((resolve) => setTimeout(resolve, 1_050))
    },
    /** The newest mail to an address in the local mailbox, with the code and the link's token in it. */
    readMail: (to: string, waitMs = 60_000, after = '') => waitForMail(to, waitMs, (mail) => mail.mail_id > after),
    /** The same, where other mail without a code may have come as well. */
    readMailWithCode: (to: string) => waitForMail(to, 60_000, ({ text }) => /code: \d{6}/.test(text)),
    /** Another session of the same person. */
    async sessionFor(person: Person): Promise<string> {
      const other = await createPerson(platform)
      await platform.database.sql`
        update svc.sign_in_sessions set user_id = ${person.userId} where session_id = ${other.sessionId}`
      return other.accessToken
    },
  }
}

interface MailAnswer {
  readonly mail_id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

function readCodes({ mail_id: mailId, subject, text }: MailAnswer) {
  return {
    mailId,
    subject,
    text,
    code: /code: (\d{6})$/m.exec(text)?.[1] ?? '',
    token: /token=([\w-]{43})/.exec(text)?.[1] ?? '',
    link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
  }
}
