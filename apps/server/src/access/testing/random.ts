/** Seeded randomness for worlds that can be built again from the seed alone. */
export interface Random {
  below(limit: number): number
  chance(probability: number): boolean
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  pick<Item>(items: readonly Item[]): Item
  some<Item>(items: readonly Item[], probability: number): Item[]
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (probability) => next() < probability,
    pick<Item>(items: readonly Item[]): Item {
      const item = items[below(items.length)]
      if (item === undefined) throw new RangeError('nothing to pick from')
      return item
    },
    some: (items, probability) => items.filter(() => next() < probability),
  }
}

/** `SVC_TEST_SEED` repeats a failed run; otherwise every run tries another seed. */
export function chooseSeed(): number {
  const given = process.env.SVC_TEST_SEED
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
}
