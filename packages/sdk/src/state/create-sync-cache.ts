import { platformConfig } from '../config/platform-config.ts'

/** What a page remembers of sessions. Every call works without a database too: then nothing is remembered. */
export interface SyncCache {
  read(sessionId: string): Promise<unknown>
  write(sessionId: string, value: unknown): Promise<void>
  remove(sessionId: string): Promise<void>
}

const STORE = 'sessions'

/**
 * A cache of sessions in the browser's database, one per person: `getUserId` of the config says whose.
 *
 * @example
 * const cache = createSyncCache()
 * await cache.write(sessionId, state.snapshot().messages)
 */
export function createSyncCache(factory: DatabaseFactory | undefined = findFactory()): SyncCache {
  const run = async (
    mode: 'readonly' | 'readwrite',
    use: (store: ObjectStore) => DatabaseRequest,
  ): Promise<unknown> => {
    if (!factory) return undefined
    const userId = (await platformConfig().getUserId?.()) ?? 'nobody'
    const opening = factory.open(`svc-sync-${userId}`, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
    await settle(opening)
    const { result: database } = opening
    try {
      return await settle(use(database.transaction(STORE, mode).objectStore(STORE)))
    } finally {
      database.close()
    }
  }
  return {
    read: (sessionId) => run('readonly', (store) => store.get(sessionId)),
    write: async (sessionId, value) => void (await run('readwrite', (store) => store.put(value, sessionId))),
    remove: async (sessionId) => void (await run('readwrite', (store) => store.delete(sessionId))),
  }
}

/** The part of IndexedDB that is used. */
export interface DatabaseFactory {
  open(name: string, version: number): DatabaseRequest & { result: Database; onupgradeneeded: (() => void) | null }
}

interface Database {
  createObjectStore(name: string): unknown
  transaction(store: string, mode: 'readonly' | 'readwrite'): { objectStore(name: string): ObjectStore }
  close(): void
}

interface ObjectStore {
  get(key: string): DatabaseRequest
  put(value: unknown, key: string): DatabaseRequest
  delete(key: string): DatabaseRequest
}

interface DatabaseRequest {
  result: unknown
  error: unknown
  onsuccess: (() => void) | null
  onerror: (() => void) | null
}

function settle(request: DatabaseRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function findFactory(): DatabaseFactory | undefined {
  const host: typeof globalThis & { indexedDB?: DatabaseFactory } = globalThis
  return host.indexedDB
}
