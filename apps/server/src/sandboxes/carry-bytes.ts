import type { Writable } from 'node:stream'

export interface Carry {
  /** Where the next bytes are to be read to. */
  nextBuffer(): Uint8Array
  /** False when nothing more may be read for now. */
  take(bytes: number, buffer: Uint8Array): boolean
  /** Nothing more will come, which is a failure only while something is missing. */
  cut(error: Error): void
}

const bufferCount = 2
const bufferBytes = 1_048_576

/**
 * Writes `bytes` to `sink` out of a ring of large buffers that are used again and again: a fraction of the processor
 * time of streams, which take new memory for each 64 kB. Writes end in their order, so the buffer that is next is also
 * the first to be free again; `goOn` is called then if the reading had stopped for it.
 */
export function carryBytes(
  bytes: number,
  sink: Writable,
  goOn: () => void,
  finish: (error?: Error | null) => void,
): Carry {
  const ring: Uint8Array[] = []
  let last = -1
  let left = bytes
  let inFlight = 0
  let isStopped = false

  return {
    cut(error) {
      if (left > 0) finish(error)
    },
    nextBuffer() {
      last = (last + 1) % bufferCount
      const buffer = ring[last] ?? Buffer.allocUnsafeSlow(bufferBytes)
      ring[last] = buffer
      return buffer
    },
    take(read, buffer) {
      const size = Math.min(read, left)
      if (size === 0) return false
      left -= size
      inFlight += 1
      const piece = buffer.subarray(0, size)
      // One that is not of the ring belongs to every connection.
      sink.write(ring.includes(buffer) ? piece : Buffer.from(piece), (error) => {
        inFlight -= 1
        if (error || (left === 0 && inFlight === 0)) return finish(error)
        if (!isStopped) return
        isStopped = false
        goOn()
      })
      isStopped = left > 0 && inFlight >= bufferCount
      return left > 0 && !isStopped
    },
  }
}
