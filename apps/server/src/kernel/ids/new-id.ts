import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 16 * 256
const pool = Buffer.allocUnsafe(POOL_BYTES)
let poolOffset = POOL_BYTES

let lastMs = 0
let counter = 0

/**
 * A UUID version 7. Ids made by one process sort in the order they were made, also inside one millisecond and when
 * the clock steps back: the twelve bits after the time count up, and an overflow borrows the next millisecond.
 */
export function newId(nowMs: number = Date.now()): string {
  const random = takeRandom()
  const stamp = nextStamp(nowMs, random.readUInt16BE(0))
  random.writeUIntBE(stamp.ms, 0, 6)
  random.writeUInt16BE(0x7000 | stamp.count, 6)
  random.writeUInt8((random.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = random.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The time an id of version 7 was made at, in milliseconds. */
export function readIdTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

function nextStamp(nowMs: number, random: number): { ms: number; count: number } {
  if (nowMs > lastMs) {
    lastMs = nowMs
    // Half the range stays free, so that a busy millisecond rarely has to borrow the next one.
    counter = random & 0x7ff
    return { ms: lastMs, count: counter }
  }
  counter += 1
  if (counter > 0xfff) {
    lastMs += 1
    counter = random & 0x7ff
  }
  return { ms: lastMs, count: counter }
}

function takeRandom(): Buffer {
  if (poolOffset >= POOL_BYTES) {
    randomFillSync(pool)
    poolOffset = 0
  }
  const slice = pool.subarray(poolOffset, poolOffset + 16)
  poolOffset += 16
  return slice
}
