import type { Principal } from '../kernel/principal.ts'

/** Identifiers that the caller's credential lets through; undefined: all of them. */
export function grantedIdentifiers({ agentGrant }: Principal): readonly string[] | undefined {
  return agentGrant === undefined || agentGrant.env === 'all' ? undefined : agentGrant.env
}

/** To an agent a secret that it was not granted does not exist. */
export function reaches(principal: Principal, identifier: string): boolean {
  return grantedIdentifiers(principal)?.includes(identifier) ?? true
}
