import { availableParallelism } from 'node:os'
import { type Follower, followRuntime } from '../log/follow-runtime.ts'
import type { Parts } from '../parts.ts'
import { pumpPrompts } from '../prompts/pump-prompts.ts'
import { findSession, type SessionRow } from '../store/sessions.ts'
import { bootSession } from './boot-session.ts'
import { claimBoot } from './claim-boot.ts'
import type { LiveSessions } from './live.ts'
import { loseRuntime } from './machine-lost.ts'
import type { Running } from './running.ts'
import { createTurnstile } from './turnstile.ts'

/** A boot looks several times a second whether it is still wanted. */
const stopTimeoutMs = 3_000
const connectTimeoutMs = 10_000
const retryMs = 1_000
const longestRetryMs = 30_000

interface Live {
  booting: Promise<void> | undefined
  running: Running | undefined
  follower: Follower | undefined
  pumping: Promise<void> | undefined
  pumpAgain: boolean
  failures: number
}

export function createLiveSessions(readParts: () => Parts): LiveSessions {
  const live = new Map<string, Live>()
  const listeners = new Set<() => void>()
  const boots = createTurnstile(Math.max(2, availableParallelism() * 2))
  let isStopping = false

  const entryOf = (sessionId: string): Live => {
    const entry = live.get(sessionId) ?? {
      booting: undefined,
      running: undefined,
      follower: undefined,
      pumping: undefined,
      pumpAgain: false,
      failures: 0,
    }
    live.set(sessionId, entry)
    return entry
  }

  async function bringUp(sessionId: string, entry: Live): Promise<void> {
    const parts = readParts()
    const row = await claimBoot(parts, sessionId)
    if (!row) return
    const running = await boots.run(() => bootSession(parts, row))
    if (!running || isStopping) return
    const { connected } = attach(parts, entry, running)
    await Promise.race([connected, parts.kernel.clock.sleep(connectTimeoutMs)])
    deliver(sessionId)
  }

  function attach(parts: Parts, entry: Live, running: Running): Follower {
    entry.running = running
    const follower = followRuntime(parts, running, {
      onIdle: () => deliver(running.row.sessionId),
      onLost: (why) => void loseRuntime(readParts(), running.row.sessionId, why),
    })
    entry.follower = follower
    return follower
  }

  /** One delivery at a time per session; what arrives meanwhile is looked at after it. */
  function deliver(sessionId: string): void {
    const entry = live.get(sessionId)
    if (!entry?.running || isStopping) return
    entry.pumpAgain = true
    entry.pumping ??= pump(entry).finally(() => {
      entry.pumping = undefined
      if (entry.pumpAgain) deliver(sessionId)
    })
  }

  async function pump(entry: Live): Promise<void> {
    while (entry.pumpAgain && entry.running && !isStopping) {
      entry.pumpAgain = false
      const { sessionId } = entry.running.row
      try {
        await pumpPrompts(readParts(), entry.running)
        entry.failures = 0
      } catch (error) {
        // The runtime or the database was away for a moment.
        const { kernel } = readParts()
        kernel.log.warn('prompts could not be delivered yet', { session_id: sessionId, error })
        const delayMs = Math.min(longestRetryMs, retryMs * 2 ** entry.failures)
        entry.failures += 1
        kernel.clock.setTimer(delayMs, () => deliver(sessionId))
      }
    }
  }

  return {
    deliver,
    ending: new Set(),
    find: (sessionId) => live.get(sessionId)?.running,
    wake(sessionId) {
      if (isStopping) return
      const entry = entryOf(sessionId)
      if (entry.running) return deliver(sessionId)
      entry.booting ??= bringUp(sessionId, entry)
        .catch((error: unknown) => readParts().kernel.log.error('a session could not be brought up', { error }))
        .finally(() => {
          entry.booting = undefined
          wakeAgain(sessionId).catch((error: unknown) =>
            // The sweep looks for it again.
            readParts().kernel.log.warn('whether a session waits for a boot is not known yet', { error }),
          )
        })
    },
    async detach(sessionId) {
      const entry = live.get(sessionId)
      if (!entry) return
      entry.running = undefined
      const { follower } = entry
      entry.follower = undefined
      await follower?.stop()
      await entry.pumping
      if (!entry.running && !entry.booting && live.get(sessionId) === entry) live.delete(sessionId)
    },
    settled: async (sessionId) => void (await live.get(sessionId)?.booting),
    onStop(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    isStopping: () => isStopping,
    async stop() {
      isStopping = true
      for (const listener of [...listeners]) listener()
      await Promise.all([...live.values()].map(({ follower }) => follower?.stop()))
      const booting = Promise.all([...live.values()].map((entry) => entry.booting))
      await Promise.race([booting, readParts().kernel.clock.sleep(stopTimeoutMs)])
    },
  }

  /** A restart that came while an older boot was giving up has nobody else to begin it. */
  async function wakeAgain(sessionId: string): Promise<void> {
    const entry = live.get(sessionId)
    if (isStopping || !entry || entry.running || entry.booting) return
    const row: SessionRow | undefined = await findSession(readParts().kernel.database.db, sessionId)
    if (row?.status !== 'provisioning') {
      if (!entry.running && !entry.booting) live.delete(sessionId)
      return
    }
    entry.booting ??= bringUp(sessionId, entry)
      .catch((error: unknown) => readParts().kernel.log.error('a session could not be brought up', { error }))
      .finally(() => {
        entry.booting = undefined
      })
  }
}
