import { causesOf } from '../causes.ts'
import { redactText } from './redact-text.ts'

const maxChars = 2_000

/**
 * What of an error may be kept where people read it: its sentence without secrets. The database's own say nothing, as
 * they quote the values of a query; the log has them without.
 */
export function sayError(error: unknown): string {
  if (causesOf(error).some((cause) => 'query' in cause)) return 'The database failed. The log of the server tells why.'
  return redactText(error instanceof Error ? error.message : String(error), maxChars)
}
