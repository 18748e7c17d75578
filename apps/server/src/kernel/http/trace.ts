import { randomFillSync } from 'node:crypto'

/** Trace context of one request (W3C). A well-formed `traceparent` is adopted; its span becomes our parent. */
export interface Trace {
  readonly traceId: string
  readonly traceparent: string
}

const wellFormed = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/

export function continueTrace(given: string | undefined): Trace {
  const adopted = given === undefined ? null : wellFormed.exec(given)
  const traceId = adopted?.[1] ?? randomHex(16)
  const flags = adopted?.[2] ?? '01'
  return { traceId, traceparent: `00-${traceId}-${randomHex(8)}-${flags}` }
}

// One call into the random source serves hundreds of ids.
const pool = Buffer.allocUnsafe(8_192)
let used = pool.length

function randomHex(sizeBytes: number): string {
  if (used + sizeBytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const hex = pool.toString('hex', used, used + sizeBytes)
  used += sizeBytes
  return hex
}
