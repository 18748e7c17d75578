import { randomBase62 } from '../../kernel/tokens/index.ts'

/**
 * Ids as the runtime makes them: `msg_`, the time in 4096ths of a millisecond as 12 hex digits (its lower 48 bits),
 * 14 random characters. Ids of one maker sort in the order they were made, whatever the clock does.
 */
export function createMessageIds(): (nowMs: number) => string {
  let lastMs = 0
  let counter = 0
  return (nowMs) => {
    if (nowMs > lastMs) {
      lastMs = nowMs
      counter = 0
    }
    counter += 1
    return `msg_${stampOf(lastMs, counter)}${randomBase62(14)}`
  }
}

/** Of this process. */
export const mintMessageId = createMessageIds()

/**
 * Whether a runtime takes this id for the newest of its conversation. One from the past would be answered by nobody, one
 * from the future again and again.
 */
export function isUsableNow(messageId: string, newestKnown: string | undefined, nowMs: number): boolean {
  const stamp = messageId.slice(4, 16)
  if (stamp > stampOf(nowMs + 1, 0)) return false
  return newestKnown === undefined || stamp > newestKnown.slice(4, 16)
}

function stampOf(ms: number, count: number): string {
  const value = BigInt.asUintN(48, BigInt(ms) * 4096n + BigInt(count))
  return value.toString(16).padStart(12, '0')
}
