import { invalid } from '../kernel/http/index.ts'
import type { Parts } from './parts.ts'

/** Null: for ever. */
export function readExpiry({ kernel }: Parts, given: string | null | undefined): Date | null {
  if (!given) return null
  const expiresAt = new Date(given)
  if (expiresAt <= kernel.clock.now()) throw invalid([{ path: 'expires_at', message: 'must be in the future' }])
  return expiresAt
}
