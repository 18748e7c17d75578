import type { IncomingMessage } from 'node:http'
import { problem } from '../../kernel/http/index.ts'

export interface Admission {
  /** Takes room for a body before it is read; throws 503 when there is none, and lets what comes fall away unread. */
  enter(incoming: IncomingMessage): Admitted
}

export interface Admitted {
  /** A body that did not say how large it is takes its room as it comes. */
  grow(bytes: number): void
  /** The answer has begun: of the body only what is on its way out is left in memory. */
  leaveBody(): void
  leave(): void
}

const maxCalls = 4_000
/** A body stands in memory several times over: as it came, as text, as a document, and once more on its way out. */
const copies = 4
const maxBytes = 256 * 1024 * 1024
const retryAfterSeconds = 2

/** How much the gateway takes on at once: beyond it callers are told to come back, before anything of theirs is read. */
export function createAdmission(): Admission {
  let calls = 0
  let heldBytes = 0

  return {
    enter(incoming) {
      const announcedBytes = (Number(incoming.headers['content-length'] ?? 0) || 0) * copies
      // One body alone may be as large as the protocol allows.
      if (calls >= maxCalls || (heldBytes > 0 && heldBytes + announcedBytes > maxBytes)) {
        // A connection that is closed on a body still coming loses the answer; what is thrown away takes no room.
        incoming.resume()
        throw overloaded()
      }
      calls += 1
      heldBytes += announcedBytes
      let ownBytes = announcedBytes
      let isIn = true
      return {
        grow(readBytes) {
          const bytes = readBytes * copies
          if (bytes <= ownBytes) return
          if (heldBytes > ownBytes && heldBytes - ownBytes + bytes > maxBytes) throw overloaded()
          heldBytes += bytes - ownBytes
          ownBytes = bytes
        },
        leaveBody() {
          const left = ownBytes / copies
          heldBytes -= ownBytes - left
          ownBytes = left
        },
        leave() {
          if (!isIn) return
          isIn = false
          calls -= 1
          heldBytes -= ownBytes
          ownBytes = 0
        },
      }
    },
  }
}

function overloaded() {
  return problem('gateway_overloaded', { headers: { 'retry-after': String(retryAfterSeconds) } })
}
