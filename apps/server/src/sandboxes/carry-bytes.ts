import type { Writable } from 'node:stream'

export interface Carry {
  /** Where the next bytes are to be read to; undefined when there are none to come. */
  nextBuffer(): Uint8Array | undefined
  /** False when nothing more may be read for now. */
  take(bytes: number, buffer: Uint8Array): boolean
  /** Nothing more will come, which is a failure only while something is missing; only then an error is made of a reason. */
  cut(reason: Error | string): void
  /** Everything was carried, and nothing came behind it as far as was read. */
  readonly isWhole: boolean
}

const bufferCount = 2
const bufferBytes = 1_048_576
const maxSpare = 8

/**
 * Buffers of answers that have ended, for the next ones: new memory for each would have V8 look through its whole heap
 * after a few dozen of them. Only what was read into one for an answer is ever written from it.
 */
const spare: Uint8Array[] = []

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
  let isExceeded = false

  /** After the last write. The reading has another buffer since the last byte was taken. */
  function end(): void {
    spare.push(...ring.splice(0, Math.max(0, maxSpare - spare.length)))
    finish()
  }

  return {
    get isWhole() {
      return left === 0 && inFlight === 0 && !isExceeded
    },
    cut(reason) {
      if (left > 0) finish(typeof reason === 'string' ? new Error(reason) : reason)
    },
    nextBuffer() {
      if (left === 0) return undefined
      last = (last + 1) % bufferCount
      const buffer = ring[last] ?? spare.pop() ?? Buffer.allocUnsafeSlow(bufferBytes)
      ring[last] = buffer
      return buffer
    },
    take(read, buffer) {
      const size = Math.min(read, left)
      isExceeded ||= read > size
      if (size === 0) return false
      left -= size
      inFlight += 1
      const piece = buffer.subarray(0, size)
      // One that is not of the ring belongs to every connection.
      sink.write(ring.includes(buffer) ? piece : Buffer.from(piece), (error) => {
        inFlight -= 1
        if (error) return finish(error)
        if (left === 0 && inFlight === 0) return end()
        if (!isStopped) return
        isStopped = false
        goOn()
      })
      isStopped = left > 0 && inFlight >= bufferCount
      return left > 0 && !isStopped
    },
  }
}
