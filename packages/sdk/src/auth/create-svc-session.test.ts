import { describe, expect, test, vi } from 'vitest'
import { HeadlessAuthError } from '../errors/headless-auth-error.ts'
import type { AuthSession } from '../generated/operations.ts'
import { createSvcSession } from './create-svc-session.ts'

const NOW_MS = 1_000_000_000
const sessionOf = (name: string, lifeSeconds = 3600): AuthSession => ({
  access_token: `access-${name}`,
  refresh_token: `refresh-${name}`,
  token_type: 'bearer',
  expires_in: lifeSeconds,
  expires_at: NOW_MS / 1000 + lifeSeconds,
})
const user = {
  id: 'u1',
  email: null,
  email_confirmed_at: null,
  created_at: '',
  last_sign_in_at: null,
  app_metadata: {},
  user_metadata: {},
}

function slot(initial: string | null = null) {
  const storage = {
    value: initial,
    reads: 0,
    async get() {
      storage.reads++
      return storage.value
    },
    async set(value: string) {
      storage.value = value
    },
    async remove() {
      storage.value = null
    },
  }
  return storage
}

const now = () => NOW_MS

describe('a session store', () => {
  test('keeps what it is given, and another store finds it', async () => {
    const storage = slot()
    await createSvcSession({ storage, now }).set(sessionOf('a'), user)
    expect(JSON.parse(storage.value ?? '')).toEqual({ session: sessionOf('a'), user })
    const next = createSvcSession({ storage, now })
    expect(next.current()).toBeNull()
    expect(await next.getToken()).toBe('access-a')
    await next.getToken()
    expect(storage.reads).toBe(1)
    expect(next.user()).toEqual(user)
    await next.clear()
    expect([storage.value, next.current(), next.user(), await next.getToken()]).toEqual([null, null, null, null])
  })

  test.each([
    [61, 'access-a', 0],
    [60, 'access-b', 1],
    [-5, 'access-b', 1],
  ])('a token that ends in %i seconds gives %s', async (lifeSeconds, token, refreshes) => {
    const request = vi.fn(async () => ({ session: sessionOf('b'), user }))
    const session = createSvcSession({ request, now })
    await session.set(sessionOf('a', lifeSeconds))
    expect(await session.getToken()).toBe(token)
    expect(request).toHaveBeenCalledTimes(refreshes)
  })

  test('callers at the same time share one refresh', async () => {
    const request = vi.fn(async () => ({ session: sessionOf('b') }))
    const session = createSvcSession({ request, now })
    await session.set(sessionOf('a', 0))
    const tokens = await Promise.all(Array.from({ length: 20 }, () => session.getToken()))
    expect(new Set(tokens)).toEqual(new Set(['access-b']))
    expect(request).toHaveBeenCalledTimes(1)
  })

  test('a refusal signs out; a failure of the network keeps the token', async () => {
    const storage = slot()
    let failure: unknown = new TypeError('fetch failed')
    const request = async () => {
      throw failure
    }
    const session = createSvcSession({ storage, request, now })
    await session.set(sessionOf('a', 0))
    expect(await session.getToken()).toBe('access-a')
    await expect(session.refresh()).rejects.toThrow('fetch failed')
    failure = new HeadlessAuthError('auth_error', 'later', 503)
    expect(await session.getToken()).toBe('access-a')
    failure = new HeadlessAuthError('refresh_token_not_found', 'spent', 400)
    expect(await session.getToken()).toBeNull()
    expect(storage.value).toBeNull()
  })

  test.each([
    ['set', 'access-c'],
    ['clear', null],
  ])('a %s during a refresh wins over its result, good or bad', async (action, token) => {
    for (const answer of [{ session: sessionOf('b') }, new HeadlessAuthError('x', 'x', 400)]) {
      let finish: (value: unknown) => void = () => undefined
      const request = () =>
        new Promise((resolve, reject) => {
          finish = answer instanceof Error ? reject : resolve
        })
      const session = createSvcSession({ request, now })
      await session.set(sessionOf('a', 0))
      const asked = session.getToken()
      await vi.waitFor(() => expect(finish).not.toBeUndefined())
      await new Promise((resolve) => setTimeout(resolve, 5))
      await (action === 'set' ? session.set(sessionOf('c')) : session.clear())
      finish(answer)
      expect(await asked).toBe(token)
    }
  })

  test('a set while the storage is read wins over what it held', async () => {
    const storage = slot(JSON.stringify({ session: sessionOf('old'), user }))
    const session = createSvcSession({ storage, now })
    const asked = session.getToken()
    await session.set(sessionOf('new'))
    expect(await asked).toBe('access-new')
  })

  test('a listener that throws stops neither storing nor the others', async () => {
    const storage = slot()
    const heard: (string | undefined)[] = []
    const session = createSvcSession({
      storage,
      now,
      onChange() {
        throw new Error('listener')
      },
    })
    const leave = session.subscribe((next) => heard.push(next?.access_token))
    await session.set(sessionOf('a'))
    leave()
    await session.clear()
    expect(heard).toEqual(['access-a'])
  })

  test.each(['', 'null', '{', '[]', '{"session":{}}', '{"session":{"access_token":1,"refresh_token":2}}'])(
    'a slot that holds %j is signed out',
    async (value) => {
      expect(await createSvcSession({ storage: slot(value), now }).getToken()).toBeNull()
    },
  )
})
