import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { mintToken, TOKEN_PREFIXES } from '../tokens/index.ts'
import { REDACTED, redactLabel, redactValue } from './redact.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('what the audit log may keep of a value', () => {
  test('nothing under a content-like name stays, whatever it is and however the name is written', () => {
    const names = ['body', 'prompt', 'headers', 'token', 'secret', 'password', 'arguments', 'output', 'requestBody']
    for (const name of [...names, 'API-Key', 'error_message', 'stdout', 'Set-Cookie', 'private_key']) {
      expect(redactValue({ [name]: 'harmless' })).toEqual({ [name]: REDACTED })
      expect(redactValue({ [name]: { deep: ['harmless'] } })).toEqual({ [name]: REDACTED })
      expect(redactValue({ [name]: 1234 })).toEqual({ [name]: REDACTED })
      expect(redactValue({ [name]: null })).toEqual({ [name]: null })
    }
  })

  test('names that only describe a secret stay readable', () => {
    const kept = { token_id: 'a', secret_name: 'DEPLOY', output_tokens: 12, session_id: 's', actions: ['project.read'] }
    expect(redactValue(kept)).toEqual(kept)
  })

  test('texts shaped like credentials are replaced as a whole, in values, in names and in labels', () => {
    const credentials = [
      ...TOKEN_PREFIXES.map((prefix) => mintToken(prefix)),
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'Bearer abcdef.ghijkl',
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
      'AKIAIOSFODNN7EXAMPLE',
      'sk-ant-REDACTED',
      'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
      '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----',
      'zX9k2LmQ8rT4vW1yB6nC3pF7hJ5sD0gAqEuI',
    ]
    for (const credential of credentials) {
      expect(redactValue([credential, `it is ${credential}, see`])).toEqual([REDACTED, REDACTED])
      expect(Object.keys(redactValue({ [credential]: 1 }) ?? {})).toEqual([REDACTED])
      expect(redactLabel(credential)).toBe(REDACTED)
    }
  })

  test('ids, commits and hashes are no credentials', () => {
    const kept = [
      '0190a1b2-0000-7000-8000-000000000000',
      'a'.repeat(40),
      sha256('x'),
      'GET /v1/accounts/:accountId/audit',
    ]
    expect(redactValue(kept)).toEqual(kept)
    for (const label of kept) expect(redactLabel(label)).toBe(label)
  })

  test('an address becomes its origin and a hash, also inside a sentence', () => {
    const url = 'https://example.com:8443/hooks/T0/B0?x=1'
    expect(redactValue({ at: url })).toEqual({ at: { origin: 'https://example.com:8443', sha256: sha256(url) } })
    expect(redactValue(['ssh://git@example.com/a/b'])).toEqual([
      { origin: 'ssh://example.com', sha256: sha256('ssh://example.com/a/b') },
    ])
    expect(redactValue(`moved to ${url} today`)).toBe('moved to https://example.com:8443 today')
  })

  test('texts over 512 characters become their length and hash; 512 stay', () => {
    const long = 'ab '.repeat(171)
    expect(redactValue([long.slice(0, 512), long])).toEqual([
      long.slice(0, 512),
      { redacted: true, length: 513, sha256: sha256(long) },
    ])
    expect(redactLabel(long)).toBe(`sha256:${sha256(long)}`)
  })

  test('collections end at 100 items, nesting at 8 levels, objects at 64 KiB', () => {
    expect(redactValue(Array.from({ length: 150 }, (_, index) => index))).toHaveLength(100)
    const wide = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`k${index}`, index]))
    expect(Object.keys(redactValue(wide) ?? {})).toHaveLength(100)
    let nested: unknown = 'bottom'
    for (let depth = 0; depth < 12; depth += 1) nested = [nested]
    expect(JSON.stringify(redactValue(nested))).toBe(
      `${'['.repeat(8)}{"redacted":true,"reason":"depth"}${']'.repeat(8)}`,
    )
    const rows = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => 'words and words'))
    expect(redactValue(rows)).toEqual({
      redacted: true,
      reason: 'oversized',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test('a circle, a wide tree, odd values and unstorable characters end well', () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    expect(JSON.stringify(redactValue(circle)).length).toBeLessThan(500)
    const wide: unknown[] = []
    for (let index = 0; index < 100; index += 1) wide.push(wide)
    expect(redactValue(wide)).toMatchObject({ reason: 'oversized' })
    expect(
      redactValue({
        at: new Date(0),
        big: 10n,
        not: Number.NaN,
        bytes: Buffer.from('abc'),
        set: new Set([1]),
        none: undefined,
      }),
    ).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      big: '10',
      not: null,
      bytes: { redacted: true, length: 3 },
      set: [1],
      none: null,
    })
    expect(redactValue(new Error('a raw message'))).toEqual({ name: 'Error' })
    expect(redactValue('a\0b\uD800c')).toBe('a\uFFFDb\uFFFDc')
  })
})
