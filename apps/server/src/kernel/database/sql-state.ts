import { causesOf } from '../causes.ts'

/** Whether PostgreSQL refused something with one of these states, whatever the driver or drizzle put around it. */
export function hasSqlState(error: unknown, states: RegExp): boolean {
  return causesOf(error).some((cause) => 'code' in cause && states.test(String(cause.code)))
}

/** Data that does not fit, or breaks a rule of its table: it will not fit the next time either. */
export const refusedData = /^2[23]/
export const uniqueViolation = /^23505$/
/** A serialization failure or a deadlock: everything was rolled back, and whoever tries again may come through. */
export const retryable = /^40(?:001|P01)$/
