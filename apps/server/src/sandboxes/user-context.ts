import { createHmac } from 'node:crypto'

export interface UserContext {
  readonly userId: string
  readonly role: 'owner' | 'admin' | 'member' | 'platform_admin'
  readonly scopes: readonly string[]
}

const lifetimeSeconds = 300

/** Who acts, in the form the daemon checks: it holds the same key and nobody else does. */
export function signUserContext(
  { userId, role, scopes }: UserContext,
  { sandboxId, serviceKey, nowMs }: { sandboxId: string; serviceKey: string; nowMs: number },
): string {
  const iat = Math.floor(nowMs / 1000)
  const claims = { userId, sandboxId, sandboxRole: role, scopes, iat, exp: iat + lifetimeSeconds }
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${payload}.${createHmac('sha256', serviceKey).update(payload).digest('base64url')}`
}
