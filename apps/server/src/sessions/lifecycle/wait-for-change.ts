import { sessionChanged } from '../events.ts'
import type { Parts } from '../parts.ts'
import { findSession, type SessionRow } from '../store/sessions.ts'

/** The session as soon as it is as wanted, or as it is when the time is over. */
export async function waitForChange(
  { kernel }: Parts,
  sessionId: string,
  timeoutMs: number,
  signal: AbortSignal,
  isWanted: (row: SessionRow) => boolean,
): Promise<SessionRow | undefined> {
  const { clock, events, database } = kernel
  const deadlineMs = clock.nowMs() + timeoutMs
  let wake: (() => void) | undefined
  const unsubscribe = events.subscribe(
    sessionChanged,
    ({ session_id }) => {
      if (session_id === sessionId) wake?.()
    },
    { onGap: () => wake?.() },
  )
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      const row = await findSession(database.db, sessionId)
      const leftMs = deadlineMs - clock.nowMs()
      if (!row || isWanted(row) || leftMs <= 0 || signal.aborted) return row
      const timer = new AbortController()
      await Promise.race([changed, clock.sleep(leftMs, AbortSignal.any([signal, timer.signal]))])
      timer.abort()
    }
  } finally {
    unsubscribe()
  }
}
