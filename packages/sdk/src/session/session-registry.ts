import type { SvcConfig } from '../config/svc-config.ts'

/** The sandbox behind a session, once it answers. */
export interface SessionRuntime {
  readonly opencodeSessionId: string
  readonly runtimeUrl: string
  readonly sandboxId: string
}

/** What handles of one session share. */
interface SharedSession {
  runtime?: SessionRuntime | undefined
  /** The start that concurrent callers wait for. */
  starting?: Promise<SessionRuntime> | undefined
}

const MOST_SESSIONS = 512
const FRESH_MS = 60_000

const sessions = /* @__PURE__ */ new Map<string, SharedSession>()
const created = /* @__PURE__ */ new Map<string, number>()

/** What the handles of a session share; the least recently used of more than 512 is forgotten. */
export function shareSession({ backendUrl }: SvcConfig, projectId: string, sessionId: string): SharedSession {
  const key = JSON.stringify([backendUrl, projectId, sessionId])
  const shared = sessions.get(key) ?? {}
  keep(sessions, key, shared)
  return shared
}

/** Notes a session that this process has just created: a 404 about it means that it is not there yet. */
export function noteCreated(sessionId: string): void {
  keep(created, sessionId, Date.now())
}

/** True within a minute of the creation. */
export function isFresh(sessionId: string): boolean {
  return Date.now() - (created.get(sessionId) ?? 0) < FRESH_MS
}

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  const [oldest = ''] = map.keys()
  if (map.size > MOST_SESSIONS) map.delete(oldest)
}
