import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream'

/**
 * Bytes both ways until both sides have ended. When either breaks both are gone, and neither waits for the other; a
 * broken pipe is the ordinary end of a tunnel and nothing to report.
 */
export function pipeBoth(one: Duplex, other: Duplex): void {
  const end = (error: NodeJS.ErrnoException | null | undefined) => {
    if (!error) return
    one.destroy()
    other.destroy()
  }
  pipeline(one, other, end)
  pipeline(other, one, end)
}
