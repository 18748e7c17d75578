import type { Principal } from '../../kernel/principal.ts'

/** A signed-in person and an account-wide key manage keys of their own; any other credential needs the permission. */
export function managesOwnKeys({ kind, authType, boundProjectId, agentGrant }: Principal): boolean {
  const isPerson = kind === 'user' && boundProjectId === undefined && agentGrant === undefined
  return isPerson && (authType === 'session' || authType === 'pat')
}
