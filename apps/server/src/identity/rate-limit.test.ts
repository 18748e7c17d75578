import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestPlatform } from '../../../../tests/support/platform.ts'
import { createClient } from './testing/client.ts'

let direct: Awaited<ReturnType<typeof startTestPlatform>>
let proxied: Awaited<ReturnType<typeof startTestPlatform>>
beforeAll(async () => {
  direct = await startTestPlatform()
  proxied = await startTestPlatform({ SVC_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' })
})
afterAll(() => Promise.all([direct.stop(), proxied.stop()]))

const refresh = { refresh_token: 'A'.repeat(43) }

describe('30 attempts per minute, address and route', () => {
  test('the 31st is refused, exactly, also when all come at once; another route still answers', async () => {
    const client = createClient(direct)
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.post('/v1/auth/refresh', refresh)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.length - refused.length).toBe(30)
    for (const { body, headers } of refused) {
      expect(body.error).toBe('over_request_rate_limit')
      expect(Object.keys(body).sort()).toEqual(['error', 'error_description'])
      const seconds = Number(headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThanOrEqual(60)
      expect(headers.get('x-ratelimit-limit')).toBeNull()
    }
    expect((await client.post('/v1/auth/oauth/exchange', { code: 'x', code_verifier: 'y' })).status).toBe(400)
  })

  test('a caller cannot choose another address by forwarded headers', async () => {
    const client = createClient(direct)
    const spoofs = [
      { 'x-forwarded-for': '203.0.113.7' },
      { 'x-forwarded-for': '127.0.0.1, 203.0.113.8' },
      { forwarded: 'for=203.0.113.9' },
      { 'x-real-ip': '203.0.113.10' },
      { 'cf-connecting-ip': '203.0.113.11' },
      { 'true-client-ip': '203.0.113.12' },
    ]
    for (const headers of spoofs) {
      expect((await client.post('/v1/auth/refresh', refresh, undefined, headers)).status).toBe(429)
    }
  })

  test('behind a trusted proxy the right-most address that is no proxy counts, whatever stands to its left', async () => {
    const client = createClient(proxied)
    const from = (forwarded: string) =>
      client.post('/v1/auth/refresh', refresh, undefined, { 'x-forwarded-for': forwarded })
    const statuses: number[] = []
    for (let at = 0; at < 31; at++) statuses.push((await from(`198.51.100.${at}, 203.0.113.1, 10.0.0.1`)).status)
    expect(statuses).toEqual([...Array(30).fill(400), 429])
    expect((await from('203.0.113.1, 203.0.113.2')).status).toBe(400)
  })

  test('the addresses of one IPv6 network count together, and those of the next one apart', async () => {
    const client = createClient(proxied)
    const from = (forwarded: string) =>
      client.post('/v1/auth/refresh', refresh, undefined, { 'x-forwarded-for': forwarded })
    const statuses: number[] = []
    for (let at = 0; at < 31; at++) statuses.push((await from(`2001:db8:1:2:${at}::${at}`)).status)
    expect(statuses).toEqual([...Array(30).fill(400), 429])
    expect((await from('2001:db8:1:3::1')).status).toBe(400)
  })
})
