import type { Clock } from '../kernel/clock/index.ts'
import type { FoundCredential } from './credential-source.ts'

const TTL_MS = 1_000
const MAX_ENTRIES = 10_000

export interface CredentialCache {
  read(hash: string): FoundCredential | undefined
  /** Call before the look-up; what a revocation overtook in the meantime is not remembered. */
  begin(hash: string): (found: FoundCredential) => void
  /** Without ids everything goes. */
  forget(credentialIds: readonly string[] | undefined): void
}

/** Holds a credential for a second at most, and never past its revocation. */
export function createCredentialCache(clock: Clock): CredentialCache {
  const entries = new Map<string, { readonly found: FoundCredential; readonly untilMs: number }>()
  let revocations = 0

  function add(hash: string, found: FoundCredential): void {
    entries.delete(hash)
    entries.set(hash, { found, untilMs: clock.nowMs() + TTL_MS })
    if (entries.size <= MAX_ENTRIES) return
    const [oldest] = entries.keys()
    if (oldest !== undefined) entries.delete(oldest)
  }

  return {
    read(hash) {
      const entry = entries.get(hash)
      if (!entry) return undefined
      if (entry.untilMs > clock.nowMs()) return entry.found
      entries.delete(hash)
      return undefined
    },
    begin(hash) {
      const begunAt = revocations
      return (found) => {
        if (begunAt === revocations) add(hash, found)
      }
    },
    forget(credentialIds) {
      revocations += 1
      if (!credentialIds) return entries.clear()
      const gone = new Set(credentialIds)
      for (const [hash, { found }] of entries) {
        if (gone.has(found.principal.credentialId)) entries.delete(hash)
      }
    },
  }
}
