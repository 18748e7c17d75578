import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../database/testing.ts'
import { mintToken, TOKEN_PREFIXES } from '../tokens/index.ts'
import { createLogger, createMemoryWriter, isSensitiveKey, redactText } from './index.ts'
import { toPlain } from './to-plain.ts'

const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()
const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.${'c2lnbmF0dXJlLWNhbmFyeQ'}`
const random = 'Canary7Qx9Zp3Lm5Rt8Vw2Ks'

/** Each secret with the part of it that must never appear. */
const SECRETS: Array<{ name: string; text: string; canary: string }> = [
  ...TOKEN_PREFIXES.map((prefix) => {
    const token = mintToken(prefix)
    return { name: prefix, text: token, canary: token.slice(prefix.length) }
  }),
  { name: 'bearer', text: `Bearer ${random}`, canary: random },
  { name: 'bearer in a header', text: `Authorization: Bearer ${random}`, canary: random },
  {
    name: 'basic',
    text: `Basic ${Buffer.from(`user:${random}`).toString('base64')}`,
    canary: Buffer.from(`user:${random}`).toString('base64'),
  },
  { name: 'webhook secret', text: `whsec_${random}+/aa==`, canary: random },
  { name: 'PEM private key', text: pem, canary: pem.split('\n')[1] ?? '' },
  { name: 'PEM with escaped newlines', text: pem.replaceAll('\n', '\\n'), canary: pem.split('\n')[1] ?? '' },
  { name: 'PEM cut short', text: pem.slice(0, 120), canary: (pem.split('\n')[1] ?? '').slice(0, 30) },
  { name: 'JWT', text: jwt, canary: 'eyJzdWIiOiIxMjM0NSJ9' },
  { name: 'AWS key id', text: 'AKIAIOSFODNN7CANARY1', canary: 'IOSFODNN7CANARY1' },
  { name: 'AWS secret', text: `aws_secret_access_key=${random}/xyz`, canary: random },
  { name: 'OpenAI', text: `sk-${random}`, canary: random },
  { name: 'OpenAI project', text: `sk-proj-${random}`, canary: random },
  { name: 'Anthropic', text: `sk-ant-api03-${random}`, canary: random },
  { name: 'Stripe', text: `sk_live_${random}`, canary: random },
  { name: 'GitHub', text: `ghp_${random}`, canary: random },
  { name: 'GitHub fine-grained', text: `github_pat_${random}_${random}`, canary: random },
  { name: 'Slack', text: `xoxb-123456789012-${random}`, canary: random },
  { name: 'Google', text: `AIzaSy${random}abcdefg`, canary: random },
  { name: 'URL with password', text: `https://bob:${random}@example.com/x`, canary: random },
  { name: 'URL with only a user', text: `https://${random}@example.com/x`, canary: random },
  { name: 'database URL with a slash in the password', text: `postgres://svc:a/b@${random}@db/x`, canary: random },
  { name: 'query parameter', text: `https://x.test/cb?a=1&access_token=${random}#f`, canary: random },
  { name: 'authorization code', text: `/cb?code=${random}&state=${random}`, canary: random },
  { name: 'percent-encoded', text: `next=https%3A%2F%2Fx.test%3Ftoken%3D${random}`, canary: random },
  { name: 'password=', text: `password=${random}`, canary: random },
  { name: 'password:', text: `password: ${random}`, canary: random },
  { name: 'quoted password with spaces', text: `password="two words ${random}" next`, canary: random },
  { name: 'shell variable', text: `export DB_PASSWORD='${random}'`, canary: random },
  { name: 'JSON', text: `{"client_secret": "${random}"}`, canary: random },
  { name: 'JSON inside JSON', text: JSON.stringify(JSON.stringify({ apiKey: random })), canary: random },
  { name: 'cookie', text: `Cookie: a=b; sid=${random}`, canary: random },
]

function logLong(log: ReturnType<typeof createLogger>, text: string, fromChars: number, toChars: number): void {
  for (let at = fromChars; at < toChars; at += 11)
    log.info('x', { long: `${'.'.repeat(at)} ${text} ${'.'.repeat(9_000)}` })
}

describe('no secret-shaped value reaches a log line', () => {
  const ways: Array<[string, (log: ReturnType<typeof createLogger>, text: string) => void]> = [
    ['message', (log, text) => log.info(text)],
    ['middle of a message', (log, text) => log.info(`calling upstream with ${text} failed`)],
    ['field', (log, text) => log.info('x', { detail: text })],
    ['nested object', (log, text) => log.info('x', { a: [{ b: new Map([['c', { d: text }]]) }] })],
    ['error', (log, text) => log.error('x', { error: new Error(`failed: ${text}`) })],
    ['error in place of the fields', (log, text) => log.error('x', new TypeError(text))],
    ['cause', (log, text) => log.error('x', { error: new Error('outer', { cause: new Error(text) }) })],
    [
      'property of an error',
      (log, text) => log.error('x', { error: Object.assign(new Error('x'), { request: { text } }) }),
    ],
    ['aggregate', (log, text) => log.error('x', { error: new AggregateError([new Error(text)], text) })],
    ['key', (log, text) => log.info('x', { [text]: 1 })],
    ['key of a map', (log, text) => log.info('x', { m: new Map([[text, 1]]) })],
    ['set', (log, text) => log.info('x', { s: new Set([text]) })],
    ['URL', (log, text) => log.info('x', { url: new URL(`https://x.test/?q=1&token=${encodeURIComponent(text)}`) })],
    ['bound field', (log, text) => log.child({ note: text }).info('x')],
    ['symbol', (log, text) => log.info('x', { s: Symbol(text) })],
    ['where a long text is cut', (log, text) => logLong(log, text, 3_700, 4_100)],
    ['where reading a long text ends', (log, text) => logLong(log, text, 7_900, 8_200)],
  ]
  for (const format of ['json', 'pretty'] as const) {
    test.each(ways)(`by %s (${format})`, (_way, log) => {
      const leaked: string[] = []
      for (const secret of SECRETS) {
        const writer = createMemoryWriter()
        log(createLogger({ writer, format }), secret.text)
        expect(writer.lines.length).toBeGreaterThan(0)
        if (writer.lines.join('\n').includes(secret.canary.slice(0, 12)))
          leaked.push(`${secret.name}: ${writer.lines.join('\n')}`)
      }
      expect(leaked).toEqual([])
    })
  }
})

test('the value of a field with a sensitive name is removed however it looks', () => {
  const writer = createMemoryWriter()
  const names = [
    'password',
    'dbPassword',
    'client_secret',
    'Authorization',
    'x-api-key',
    'cookie',
    'accessToken',
    'privateKey',
  ]
  const fields = Object.fromEntries(names.map((name) => [name, 'plain words']))
  createLogger({ writer }).info('x', {
    ...fields,
    headers: new Headers({ authorization: 'plain words' }),
    rawHeaders: ['Cookie', 'plain words'],
  })
  expect(writer.lines.join()).not.toContain('plain words')
})

test('numbers and names around secrets stay readable', () => {
  for (const key of ['token_id', 'secretName', 'tokens_used', 'token_count', 'tokenType'])
    expect(isSensitiveKey(key)).toBe(false)
  const writer = createMemoryWriter()
  createLogger({ writer }).info('spent', { tokens: 1_234, max_tokens: 10, secret_id: 'abc' })
  expect(JSON.parse(writer.lines[0] ?? '')).toMatchObject({ tokens: 1_234, max_tokens: 10, secret_id: 'abc' })
})

test('ordinary texts are left as they are', () => {
  for (const text of [
    'GET /v1/projects/0198 took 3 ms',
    'user bob@example.com signed in',
    'https://example.com/a/b',
    'task done',
    'basic',
  ])
    expect(redactText(text)).toBe(text)
})

test('hostile texts do not make redaction slow: work grows with the length, not its square', () => {
  const pieces = [
    'eyJ',
    'eyJ-',
    '://',
    'password',
    'password=',
    'Bearer ',
    'sk-',
    '-----BEGIN PRIVATE KEY',
    '"password":"',
    '\\"',
    'token\\',
    'a',
    '@',
  ]
  for (const piece of pieces) {
    const text = piece.repeat(Math.ceil(200_000 / piece.length))
    expect(redactText(text, 190_000).length).toBeLessThan(400_000)
  }
})

test('what people wrote does not reach the log with the query that failed to store it', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.close())
  const { db } = database
  await db.execute(sql`create table notes (id int primary key, body text check (length(body) < 5))`)
  const fill = (id: number, body: string) => db.execute(sql`insert into notes values (${id}, ${body})`)
  const failureOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)
  await fill(2, 'ab')
  const failures = [await failureOf(fill(1, 'my diary')), await failureOf(fill(2, 'cd'))]
  const lines = failures.map((error) => JSON.stringify(toPlain({ error })))
  for (const line of lines) expect(line).toContain('insert into notes values ($1, $2)')
  expect(lines[0]).not.toContain('diary')
  expect(lines[1]).toContain('Key (id)=[redacted] already exists')
  const unread = await failureOf(db.execute(sql`select ${'{"body": "my diary \\u0000"}'}::text::jsonb`))
  expect(JSON.stringify(toPlain({ error: unread }))).toMatch(/^(?!.*diary).*JSON data, line 1: \[redacted\]/)
})

test('however long the values of a failed query are, the log says why it failed and none of them', () => {
  const cause = Object.assign(new Error('it is there already'), {
    detail: `Key (body)=(${'my diary '.repeat(999)}) exists.`,
  })
  const params = Array.from({ length: 20 }, () => 'x'.repeat(4_000))
  const failed = Object.assign(new Error(`Failed query: insert\nparams: ${params}`, { cause }), {
    query: 'insert',
    params,
  })
  const line = JSON.stringify(toPlain({ error: failed }))
  expect(line).toContain('it is there already')
  expect(line).toContain('Key (body)=[redacted] exists.')
  expect(line).not.toContain('diary')
})
