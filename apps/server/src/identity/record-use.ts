import type { Kernel } from '../kernel/kernel.ts'
import type { CredentialSource, FoundCredential } from './credential-source.ts'

const EVERY_MS = 15 * 60_000
const FLUSH_MS = 2_000

export interface UseRecorder {
  note(source: CredentialSource, found: FoundCredential): void
  stop(): Promise<void>
}

/** Keeps `last_used_at` current to a quarter of an hour: in batches, beside the requests, never in their way. */
export function createUseRecorder({ clock, log }: Kernel): UseRecorder {
  const pending = new Map<CredentialSource, Set<string>>()
  let timer: { cancel(): void } | undefined

  function note(source: CredentialSource, { lastUsedAt, principal }: FoundCredential): void {
    if (!source.recordUse || lastUsedAt === undefined) return
    if (lastUsedAt !== null && clock.nowMs() - lastUsedAt.getTime() < EVERY_MS) return
    const ids = pending.get(source) ?? new Set()
    pending.set(source, ids.add(principal.credentialId))
    timer ??= clock.setTimer(FLUSH_MS, () => void flush())
  }

  async function flush(): Promise<void> {
    timer?.cancel()
    timer = undefined
    const batches = [...pending]
    pending.clear()
    for (const [source, ids] of batches) {
      try {
        await source.recordUse?.([...ids], clock.now())
      } catch (error) {
        log.warn('the last use of some credentials could not be written down', { error })
      }
    }
  }

  return { note, stop: flush }
}
