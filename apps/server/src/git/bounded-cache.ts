/** A least-recently-used map bounded by the sum of its entries' weights. For facts that never change once true. */
export class BoundedCache<V> {
  private readonly entries = new Map<string, { value: V; weight: number }>()
  private readonly maxWeight: number
  private weight = 0

  constructor(maxWeight: number) {
    this.maxWeight = maxWeight
  }

  get(key: string): V | undefined {
    const entry = this.entries.get(key)
    if (!entry) return undefined
    this.entries.delete(key)
    this.entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: V, weight = 1): void {
    if (weight > this.maxWeight) return
    const old = this.entries.get(key)
    if (old) {
      this.entries.delete(key)
      this.weight -= old.weight
    }
    this.entries.set(key, { value, weight })
    this.weight += weight
    for (const [oldest, entry] of this.entries) {
      if (this.weight <= this.maxWeight) break
      this.entries.delete(oldest)
      this.weight -= entry.weight
    }
  }
}
