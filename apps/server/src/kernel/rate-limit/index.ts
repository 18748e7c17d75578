export { addressKey } from './address-key.ts'
export {
  cleanRateLimits,
  createRateLimits,
  type RateLimit,
  type RateLimits,
  type RateLimitsOptions,
  type RateRule,
  type Take,
} from './rate-limit.ts'
