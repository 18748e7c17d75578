import { afterEach, expect, test } from 'vitest'
import { configureSvc } from '../config/platform-config.ts'
import { createSyncCache, type DatabaseFactory } from './create-sync-cache.ts'

afterEach(() => configureSvc({ backendUrl: '', getToken: async () => null }))

/** A database of maps that answers when the handlers stand, as a browser's does. */
function fakeDatabases(): { factory: DatabaseFactory; databases: Map<string, Map<string, unknown>> } {
  const databases = new Map<string, Map<string, unknown>>()
  const answer = (result: unknown) => {
    const request = {
      result,
      error: null,
      onsuccess: null as (() => void) | null,
      onerror: null as (() => void) | null,
    }
    queueMicrotask(() => request.onsuccess?.())
    return request
  }
  const open: DatabaseFactory['open'] = (name) => {
    const rows = databases.get(name) ?? new Map<string, unknown>()
    const isNew = !databases.has(name)
    databases.set(name, rows)
    const store = {
      get: (key: string) => answer(rows.get(key)),
      put: (value: unknown, key: string) => answer(rows.set(key, value)),
      delete: (key: string) => answer(rows.delete(key)),
    }
    const result = {
      createObjectStore: () => undefined,
      transaction: () => ({ objectStore: () => store }),
      close: () => undefined,
    }
    const request = Object.assign(answer(result), { result, onupgradeneeded: null as (() => void) | null })
    if (isNew) queueMicrotask(() => request.onupgradeneeded?.())
    return request
  }
  return { factory: { open }, databases }
}

test('what is written is read, per person, until it is removed', async () => {
  const { factory, databases } = fakeDatabases()
  let userId = 'anna'
  configureSvc({ backendUrl: 'http://h', getToken: async () => null, getUserId: async () => userId })
  const cache = createSyncCache(factory)
  await cache.write('s1', ['hello'])
  expect(await cache.read('s1')).toEqual(['hello'])
  userId = 'bob'
  expect(await cache.read('s1')).toBeUndefined()
  userId = 'anna'
  await cache.remove('s1')
  expect(await cache.read('s1')).toBeUndefined()
  expect([...databases.keys()]).toEqual(['svc-sync-anna', 'svc-sync-bob'])
})

test('where there is no database nothing is remembered and nothing fails', async () => {
  const cache = createSyncCache(undefined)
  await cache.write('s1', 1)
  expect(await cache.read('s1')).toBeUndefined()
})
