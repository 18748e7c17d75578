import { toHex } from '../sessions/generate-session-id.ts'

/** A SHA-256 that takes its input in pieces. */
export interface Sha256 {
  update(bytes: Uint8Array): void
  /** The digest in hexadecimal; call it once, at the end. */
  digest(): string
}

const BLOCK_BYTES = 64

/**
 * SHA-256 in plain JavaScript: web crypto is missing on pages without TLS and on Node 18, and it cannot hash a file
 * that is read piece by piece.
 */
export function createSha256(): Sha256 {
  const primes: number[] = []
  for (let candidate = 2; primes.length < 64; candidate++) {
    if (primes.every((prime) => candidate % prime)) primes.push(candidate)
  }
  // The initial state and the round constants: fractions of the square and cube roots of the first primes.
  const state = Int32Array.from(primes.slice(0, 8), (prime) => Math.sqrt(prime) * 2 ** 32)
  const constants = Int32Array.from(primes, (prime) => Math.cbrt(prime) * 2 ** 32)
  const schedule = new Int32Array(16)
  const block = new Uint8Array(BLOCK_BYTES)
  const view = new DataView(block.buffer)
  let total = 0

  const compress = (): void => {
    const mixed = Int32Array.from(state)
    for (let round = 0; round < 64; round++) {
      // The eight words move on by one place each round: it is the first place that moves instead.
      const word = (place: number): number => wordAt(mixed, place - round)
      const early = wordAt(schedule, round + 1)
      const late = wordAt(schedule, round + 14)
      schedule[round & 15] =
        round < 16
          ? view.getInt32(round * 4)
          : wordAt(schedule, round) +
            (turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)) +
            wordAt(schedule, round + 9) +
            (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10))
      const sum =
        spin(word(4), 6, 11, 25) +
        ((word(4) & word(5)) ^ (~word(4) & word(6))) +
        word(7) +
        wordAt(constants, round) +
        wordAt(schedule, round)
      mixed[(3 - round) & 7] = word(3) + sum
      mixed[(7 - round) & 7] =
        sum + spin(word(0), 2, 13, 22) + ((word(0) & word(1)) ^ (word(0) & word(2)) ^ (word(1) & word(2)))
    }
    for (let at = 0; at < 8; at++) state[at] = wordAt(state, at) + wordAt(mixed, at)
  }
  const update = (bytes: Uint8Array): void => {
    for (let from = 0; from < bytes.length; ) {
      const filled = total % BLOCK_BYTES
      const piece = bytes.subarray(from, from + BLOCK_BYTES - filled)
      block.set(piece, filled)
      from += piece.length
      total += piece.length
      if (total % BLOCK_BYTES === 0) compress()
    }
  }
  return {
    update,
    digest() {
      const bits = total * 8
      update(new Uint8Array([0x80]))
      while (total % BLOCK_BYTES !== BLOCK_BYTES - 8) update(new Uint8Array(1))
      view.setUint32(56, bits / 2 ** 32)
      view.setUint32(60, bits)
      compress()
      return toHex(Uint32Array.from(state), 8)
    },
  }
}

/** The digest of bytes, in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  const hash = createSha256()
  hash.update(bytes)
  return hash.digest()
}

/** A word of a ring whose length is a power of two. */
const wordAt = (ring: Int32Array, at: number): number => ring[at & (ring.length - 1)] ?? 0

/** The word turned right. */
const turn = (word: number, count: number): number => (word >>> count) | (word << (32 - count))

/** Three turns of a word, combined. */
const spin = (word: number, one: number, two: number, three: number): number =>
  turn(word, one) ^ turn(word, two) ^ turn(word, three)
