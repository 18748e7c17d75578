import type { AnyOperation } from '@svc/contract'
import { problem } from './kernel/http/index.ts'
import type { RateLimit, RateLimits, RateRule, Take } from './kernel/rate-limit/index.ts'

/** From here on calls are counted in blocks: a caller with so many to make would wait for the count of each. */
const manyCalls = 500
const blockSize = 20

/** Counted in the database: no number of nodes lets more calls pass than the limit. */
export function createCallLimits(rateLimits: RateLimits): (operation: AnyOperation, key: string) => Promise<void> {
  const limits = new Map<AnyOperation, RateLimit>()
  const open = (rule: RateRule) =>
    rule.limit >= manyCalls && rule.limit % blockSize === 0
      ? rateLimits.blockLimit(rule, blockSize)
      : rateLimits.rateLimit(rule)
  return async (operation, key) => {
    const { id, rateLimit } = operation
    if (!rateLimit) return
    const { limit, windowMs } = rateLimit
    const rule = { name: `call:${id}`, limit, windowMs }
    const counted = limits.get(operation) ?? open(rule)
    limits.set(operation, counted)
    refuseOver(rateLimit, await counted.take(key))
  }
}

function refuseOver({ limit, code = 'rate_limit_exceeded' }: NonNullable<AnyOperation['rateLimit']>, take: Take): void {
  if (take.allowed) return
  const seconds = take.retryAfterSeconds
  const isGeneral = code === 'rate_limit_exceeded'
  throw problem(code, {
    headers: {
      'retry-after': String(seconds),
      ...(isGeneral
        ? { 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(seconds) }
        : {}),
    },
    ...(isGeneral ? { extras: { retry_after_seconds: seconds } } : {}),
  })
}
