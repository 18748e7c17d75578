import { createHash } from 'node:crypto'

/** Tells that something changed, and nothing about what it is. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
