/** The seed of this run: `SVC_TEST_SEED` to repeat one, otherwise a new one. Tests print it when they fail. */
export const TEST_SEED = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1_000_000_007) | 0

export const isLongRun = process.env.SVC_TEST_LONG === '1'

/** A small seeded generator of numbers in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
