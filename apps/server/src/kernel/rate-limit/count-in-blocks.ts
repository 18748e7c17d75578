import type { RateRule, Take } from './rate-rule.ts'

export interface TakenBlock {
  readonly allowed: boolean
  /** Blocks that were taken in this window. */
  readonly taken: number
  readonly resetAt: Date
  readonly leftMs: number
}

export interface BlockSource {
  readonly blockSize: number
  /** Takes one of the `limit / blockSize` blocks of a window. */
  takeBlock(key: string): Promise<TakenBlock>
  readonly nowMs: () => number
}

interface Block extends TakenBlock {
  callsLeft: number
  readonly untilMs: number
}

export interface BlockCount {
  take(key: string): Promise<Take>
  forget(key: string): void
}

const maxKeys = 10_000

/** Counts single calls out of blocks of them. Those who come while a block is asked for share it. */
export function countInBlocks({ limit }: RateRule, { blockSize, takeBlock, nowMs }: BlockSource): BlockCount {
  const blocks = new Map<string, Block>()
  const asking = new Map<string, Promise<Block>>()

  async function askFor(key: string): Promise<Block> {
    // Counted from before the question: a window is never taken to be longer than it is.
    const askedAtMs = nowMs()
    const taken = await takeBlock(key)
    const block = { ...taken, callsLeft: taken.allowed ? blockSize : 0, untilMs: askedAtMs + taken.leftMs }
    if (blocks.size >= maxKeys) blocks.clear()
    if (taken.allowed) blocks.set(key, block)
    return block
  }

  function askOnce(key: string): Promise<Block> {
    const asked = asking.get(key) ?? askFor(key).finally(() => asking.delete(key))
    asking.set(key, asked)
    return asked
  }

  function use(block: Block): Take {
    block.callsLeft -= 1
    const remaining = limit - block.taken * blockSize + block.callsLeft
    return { allowed: true, remaining, resetAt: block.resetAt, retryAfterSeconds: 0 }
  }

  return {
    async take(key) {
      const known = blocks.get(key)
      if (known && known.callsLeft > 0 && nowMs() < known.untilMs) return use(known)
      for (;;) {
        const block = await askOnce(key)
        if (block.callsLeft > 0) return use(block)
        if (block.allowed) continue
        const retryAfterSeconds = Math.max(1, Math.ceil(block.leftMs / 1_000))
        return { allowed: false, remaining: 0, resetAt: block.resetAt, retryAfterSeconds }
      }
    },
    forget: (key) => void blocks.delete(key),
  }
}
