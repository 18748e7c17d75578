import type { Parts } from './parts.ts'

/** An address in the audit log: comparable with itself, readable by nobody. */
export function describeAddress({ kernel }: Pick<Parts, 'kernel'>, email: string | undefined): Record<string, string> {
  if (email === undefined) return {}
  return { address_digest: kernel.tokenHasher.hashToken(`audit address ${email}`).slice(0, 22) }
}
