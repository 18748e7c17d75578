import { createHash } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createPreviewCredentials, previewCookie, readPreviewCredential } from './preview-credential.ts'

const hasher = { hashToken: (token: string) => createHash('sha256').update(token).digest('base64url') }
const previews = createPreviewCredentials(hasher, () => 1_000)
const cookie = `${previewCookie}=${previews.seal('the token', 'cookie', 2_000)}`

function arrive(headers: Record<string, string>, url = '/v1/p/sb0123456789abcdefgh/8000/') {
  const incoming = new IncomingMessage(new Socket())
  Object.assign(incoming.headers, { host: 'app.example.com', ...headers })
  incoming.url = url
  return readPreviewCredential(incoming, previews)
}

describe('the cookie of previews', () => {
  test('opens what a person opens, and what pages of the same host ask for', () => {
    expect(arrive({ cookie })).toBe('the token')
    expect(arrive({ cookie, origin: 'https://app.example.com' })).toBe('the token')
    expect(arrive({ cookie, origin: 'null', 'sec-fetch-site': 'same-origin' })).toBe('the token')
    expect(arrive({ cookie, host: 'localhost:8008', origin: 'http://localhost:8008' })).toBe('the token')
  })

  test.each([
    ['a page an agent made, below the same domain', 'https://p3000-sb0123456789abcdefgh.previews.example.com'],
    ['a page without an origin', 'null'],
    ['another port', 'https://app.example.com:8443'],
    ['nonsense', 'x'],
  ])('opens nothing for %s', (_who, origin) => {
    expect(arrive({ cookie, origin, 'sec-fetch-site': 'same-site' })).toBeUndefined()
    expect(arrive({ cookie, origin })).toBeUndefined()
  })

  test('says nothing about a ticket or token in the address, which only its holder can write there', () => {
    const ticket = previews.seal('the token', 'ticket', 2_000)
    expect(arrive({ origin: 'https://other.example' }, `/v1/p/x/1/?token=${ticket}`)).toBe('the token')
    expect(arrive({}, `/v1/p/x/1/?token=${previews.seal('t', 'cookie', 2_000)}`)).toBeUndefined()
    expect(arrive({}, `/v1/p/x/1/?token=${previews.seal('t', 'ticket', 500)}`)).toBeUndefined()
  })
})
