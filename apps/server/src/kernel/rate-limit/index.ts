export { addressKey } from './address-key.ts'
export {
  cleanRateLimits,
  createRateLimits,
  type RateLimit,
  type RateLimits,
  type RateLimitsOptions,
} from './rate-limit.ts'
export type { RateRule, Take } from './rate-rule.ts'
