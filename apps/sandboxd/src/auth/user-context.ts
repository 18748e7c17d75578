import { createHmac, timingSafeEqual } from 'node:crypto'

export interface UserContext {
  readonly userId: string
  readonly sandboxRole: string
  readonly scopes: readonly string[]
}

export type ContextFault = 'malformed' | 'bad_signature' | 'expired' | 'invalid_json'

/** `<payload>.<signature>`, both base64url, signed over the encoded payload with the machine's service key. */
export function readUserContext(header: string, serviceKey: string, nowMs: number): UserContext | ContextFault {
  const [payload, signature, ...rest] = header.split('.')
  if (!payload || !signature || rest.length > 0) return 'malformed'
  const expected = createHmac('sha256', serviceKey).update(payload).digest()
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'bad_signature'

  const claims = parseClaims(payload)
  if (!claims) return 'invalid_json'
  if (toMs(claims.exp) <= nowMs) return 'expired'
  return { userId: claims.userId, sandboxRole: claims.sandboxRole, scopes: claims.scopes }
}

interface Claims extends UserContext {
  readonly exp: number
}

function parseClaims(payload: string): Claims | undefined {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  } catch {
    // Signed, and still not JSON: the caller answers with the reason for exactly this.
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { userId, sandboxRole, scopes, exp } = value as Record<string, unknown>
  if (typeof userId !== 'string' || typeof sandboxRole !== 'string' || typeof exp !== 'number') return undefined
  return { userId, sandboxRole, scopes: Array.isArray(scopes) ? scopes.map(String) : [], exp }
}

/** Seconds as in a JWT, or milliseconds; no date of this century is read wrongly. */
const toMs = (time: number) => (time < 100_000_000_000 ? time * 1000 : time)
