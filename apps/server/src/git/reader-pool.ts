import { GitError } from './git-error.ts'
import { ObjectReader } from './object-reader.ts'
import type { GitPlace } from './run-git.ts'

const maxReadersPerRepository = 2
const maxReaders = 64
const idleMs = 30_000
const sweepMs = 10_000

/** Every pool of this process, for the common ceiling and the idle sweep. */
const pools = new Set<ReaderPool>()
const waiting: (() => void)[] = []
let sweeper: NodeJS.Timeout | undefined

/**
 * The object readers of one repository. At most two per repository and 64 per process; at the ceiling the reader that
 * was idle longest makes room, and when none is idle the caller waits for one.
 */
export class ReaderPool {
  private readonly place: GitPlace
  private readonly readers = new Set<ObjectReader>()

  constructor(place: GitPlace) {
    this.place = place
  }

  /** Lends a reader for one or more reads. When the reader dies under them they are asked again, once, of a new one. */
  async use<T>(work: (reader: ObjectReader) => Promise<T>): Promise<T> {
    const reader = await this.lend()
    try {
      return await work(reader)
    } catch (error) {
      if (!reader.isDead || !GitError.isInstance(error, 'git_failed')) throw error
      return work(await this.lend())
    }
  }

  /** The least busy reader; another one is started only while all are busy. */
  private async lend(): Promise<ObjectReader> {
    for (;;) {
      const reader = this.leastBusy()
      if (reader && (reader.pending === 0 || this.readers.size >= maxReadersPerRepository)) return reader
      if (makeRoom(this)) return this.start()
      if (reader) return reader
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }

  close(): void {
    pools.delete(this)
    for (const reader of this.readers) reader.close()
  }

  get size(): number {
    return this.readers.size
  }

  oldestIdle(): ObjectReader | undefined {
    let oldest: ObjectReader | undefined
    for (const reader of this.readers) {
      if (reader.pending === 0 && (!oldest || reader.lastUsedMs < oldest.lastUsedMs)) oldest = reader
    }
    return oldest
  }

  private leastBusy(): ObjectReader | undefined {
    let best: ObjectReader | undefined
    for (const reader of this.readers) if (!best || reader.pending < best.pending) best = reader
    return best
  }

  private start(): ObjectReader {
    pools.add(this)
    const reader: ObjectReader = new ObjectReader(this.place, {
      onIdle: wakeOne,
      onGone: () => {
        this.readers.delete(reader)
        wakeOne()
      },
    })
    this.readers.add(reader)
    startSweeper()
    return reader
  }
}

/** Ends every reader of this process: part of a clean stop. */
export function closeAllReaders(): void {
  for (const pool of [...pools]) pool.close()
}

export function countReaders(): number {
  let count = 0
  for (const pool of pools) count += pool.size
  return count
}

function makeRoom(asking: ReaderPool): boolean {
  if (countReaders() < maxReaders) return true
  let oldest: ObjectReader | undefined
  for (const pool of pools) {
    const idle = pool === asking ? undefined : pool.oldestIdle()
    if (idle && (!oldest || idle.lastUsedMs < oldest.lastUsedMs)) oldest = idle
  }
  oldest?.close()
  return oldest !== undefined
}

function wakeOne(): void {
  waiting.shift()?.()
}

function startSweeper(): void {
  if (sweeper) return
  sweeper = setInterval(() => sweepIdleReaders(Date.now()), sweepMs)
  sweeper.unref()
}

/** Ends readers nobody has used for half a minute. Returns how many are left. */
export function sweepIdleReaders(nowMs: number): number {
  for (const pool of [...pools]) {
    for (let idle = pool.oldestIdle(); idle && nowMs - idle.lastUsedMs >= idleMs; idle = pool.oldestIdle()) idle.close()
    if (pool.size === 0) pools.delete(pool)
  }
  const left = countReaders()
  if (left === 0 && sweeper) {
    clearInterval(sweeper)
    sweeper = undefined
  }
  return left
}
