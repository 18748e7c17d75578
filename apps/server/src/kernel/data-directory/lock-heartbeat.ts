import { stat, utimes } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

export interface HeartbeatTiming {
  readonly everyMs: number
  /** A lock that was not touched for this long has lost its holder. */
  readonly staleMs: number
}

export const heartbeatTiming: HeartbeatTiming = { everyMs: 3_000, staleMs: 30_000 }

/** Touches the lock file for as long as this process lives, for those who cannot see this process. */
export function startHeartbeat(path: string, { everyMs }: HeartbeatTiming): () => void {
  const timer = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => {
      // One touch that failed is made up for by the next; a file that is gone was removed by a person.
    })
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Watches the file until it is touched (true) or was not touched for the whole stale time (false). */
export async function isHeartbeatSeen(path: string, { everyMs, staleMs }: HeartbeatTiming): Promise<boolean> {
  const touchedAtMs = await readTouchedAtMs(path)
  if (touchedAtMs === undefined) return false
  const leftMs = staleMs - Math.max(0, Date.now() - touchedAtMs)
  const untilMs = performance.now() + leftMs
  while (performance.now() < untilMs) {
    await sleep(Math.min(everyMs / 4, Math.max(1, untilMs - performance.now())))
    const now = await readTouchedAtMs(path)
    if (now !== touchedAtMs) return now !== undefined
  }
  return false
}

async function readTouchedAtMs(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path)
    // An empty file is a lock that was given back.
    return found.size === 0 ? undefined : found.mtimeMs
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
