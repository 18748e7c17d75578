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
  const { state, constants } = deriveConstants()
  const schedule = new Int32Array(BLOCK_BYTES)
  const block = new Uint8Array(BLOCK_BYTES)
  const view = new DataView(block.buffer)
  let filled = 0
  let total = 0

  const compress = (): void => {
    for (let at = 0; at < BLOCK_BYTES; at++) schedule[at] = at < 16 ? view.getInt32(at * 4) : expand(schedule, at)
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    for (let at = 0; at < BLOCK_BYTES; at++) {
      const mixed = spin(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + h + (constants[at] ?? 0) + (schedule[at] ?? 0)
      const first = (mixed + spin(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + mixed) | 0
      d = c
      c = b
      b = a
      a = first
    }
    for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] ?? 0) + word
    filled = 0
  }
  const update = (bytes: Uint8Array): void => {
    total += bytes.length
    for (let from = 0; from < bytes.length; ) {
      const piece = bytes.subarray(from, from + BLOCK_BYTES - filled)
      block.set(piece, filled)
      filled += piece.length
      from += piece.length
      if (filled === BLOCK_BYTES) compress()
    }
  }
  return {
    update,
    digest() {
      const bits = total * 8
      update(new Uint8Array([0x80]))
      while (filled !== BLOCK_BYTES - 8) update(new Uint8Array(1))
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

/** The initial state and the round constants: fractions of the square and cube roots of the first primes. */
function deriveConstants(): { state: Int32Array; constants: Int32Array } {
  const primes: number[] = []
  for (let candidate = 2; primes.length < BLOCK_BYTES; candidate++) {
    if (primes.every((prime) => candidate % prime)) primes.push(candidate)
  }
  const fractions = (root: (value: number) => number) => primes.map((prime) => (root(prime) * 2 ** 32) | 0)
  return { state: Int32Array.from(fractions(Math.sqrt).slice(0, 8)), constants: Int32Array.from(fractions(Math.cbrt)) }
}

function expand(words: Int32Array, at: number): number {
  const early = words[at - 15] ?? 0
  const late = words[at - 2] ?? 0
  const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
  const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
  return (words[at - 16] ?? 0) + first + (words[at - 7] ?? 0) + second
}

/** The word turned right. */
const turn = (word: number, count: number): number => (word >>> count) | (word << (32 - count))

/** Three turns of a word, combined. */
const spin = (word: number, one: number, two: number, three: number): number =>
  turn(word, one) ^ turn(word, two) ^ turn(word, three)
