import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signContext, startTestDaemon, type TestDaemon } from '../testing/test-daemon.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
  await daemon.call('PUT', '/svc/conversation', { as: 'key', body: { opencode_session_id: 'ses_1' } })
})
afterAll(() => daemon.stop())

const withContext = (context: string) =>
  daemon.call('GET', '/session', { as: 'nobody', headers: { 'X-Svc-User-Context': context } })

describe('what is not below /svc needs a user context', () => {
  test.each([
    ['none', 'nobody', 'malformed'],
    ['the service key alone', 'key', 'malformed'],
  ] as const)('%s is refused', async (_name, as, reason) => {
    const { status, json } = await daemon.call('GET', '/session', { as })
    expect([status, json]).toEqual([401, { error: 'unauthorized', reason }])
  })

  test.each([
    ['rubbish', 'malformed'],
    ['a.b.c', 'malformed'],
    [signContext({}, 'another key'), 'bad_signature'],
    [`${signContext().split('.')[0]}.AAAA`, 'bad_signature'],
    [signContext({ exp: 1 }), 'expired'],
    [signContext({ userId: 7 }), 'invalid_json'],
  ])('%s is refused with its reason', async (context, reason) => {
    const { status, json } = await withContext(context)
    expect([status, json]).toEqual([401, { error: 'unauthorized', reason }])
  })

  test('a valid one passes, and reaches nobody behind the daemon', async () => {
    const { status, json } = await daemon.call('GET', '/session')
    expect(status).toBe(200)
    expect(json.headers).not.toHaveProperty('authorization')
    expect(json.headers).not.toHaveProperty('x-svc-user-context')
    expect(json.headers).not.toHaveProperty('x-svc-service-call')
  })
})

describe('what is below /svc needs the service key', () => {
  const paths = ['/svc/exec', '/svc/env', '/svc/abort', '/svc/refresh', '/svc/git/commit-push', '/svc/pty', '/svc/none']
  test.each(paths)('%s refuses a context without the key, and a wrong key', async (path) => {
    const context = { 'X-Svc-User-Context': signContext() }
    expect((await daemon.call('POST', path, { as: 'nobody', headers: context })).status).toBe(401)
    const wrong = { Authorization: 'Bearer wrong' }
    expect((await daemon.call('POST', path, { as: 'nobody', headers: wrong })).status).toBe(401)
  })

  test.each([
    ['POST', '/svc/exec'],
    ['POST', '/svc/env'],
    ['PUT', '/svc/conversation'],
  ])('%s %s is the platform’s alone: with a person’s context it is refused', async (method, path) => {
    expect((await daemon.call(method, path, { as: 'user', body: {} })).status).toBe(403)
  })

  test('a forged context beside the right key is refused too', async () => {
    const headers = { 'X-Svc-User-Context': signContext({}, 'another key') }
    expect((await daemon.call('GET', '/svc/pty', { as: 'key', headers })).status).toBe(401)
  })

  test('an unknown route is told to whoever holds the key', async () => {
    expect((await daemon.call('GET', '/svc/none', { as: 'key' })).status).toBe(404)
  })
})
