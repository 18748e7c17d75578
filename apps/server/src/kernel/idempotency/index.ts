export { AttemptLostError, type IdempotencyCode, IdempotencyError } from './errors.ts'
export {
  type Answer,
  type Attempt,
  createIdempotency,
  type GivenAnswer,
  hashBody,
  type Idempotency,
  type IdempotencyOptions,
  type IdempotentCall,
  isIdempotencyKey,
} from './run-idempotent.ts'
export { type CallKey, cleanIdempotencyKeys } from './store.ts'
