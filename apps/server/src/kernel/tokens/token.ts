import { encodeBase62, type RandomSource, randomBase62 } from './base62.ts'
import { crc32 } from './crc32.ts'
import { readTokenPrefix, type TokenPrefix } from './token-prefixes.ts'

const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
const SHOWN_LENGTH = 8

/** A new credential: prefix, 32 random base62 characters (190 bits), and a checksum over both. */
export function mintToken(prefix: TokenPrefix, random?: RandomSource): string {
  const body = prefix + randomBase62(RANDOM_LENGTH, random)
  return body + checksum(body)
}

export type TokenCheck =
  | { ok: true; prefix: TokenPrefix }
  /** `prefix` is set when the text has a known family but is mistyped or cut. */
  | { ok: false; prefix: TokenPrefix | undefined }

/** Refuses mistyped, cut and made-up tokens without a database read. A token that passes may still be unknown. */
export function checkToken(token: string): TokenCheck {
  const prefix = readTokenPrefix(token)
  if (!prefix) return { ok: false, prefix }
  if (token.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH) return { ok: false, prefix }
  const bodyLength = prefix.length + RANDOM_LENGTH
  const body = token.slice(0, bodyLength)
  if (!/^[0-9A-Za-z]+$/.test(body.slice(prefix.length))) return { ok: false, prefix }
  return checksum(body) === token.slice(bodyLength) ? { ok: true, prefix } : { ok: false, prefix }
}

/** What may be shown of a token after it was made, for example `svc_sa_Ab3dE9xQ…`. */
export function showTokenStart(token: string): string {
  const prefix = readTokenPrefix(token) ?? ''
  return `${token.slice(0, prefix.length + SHOWN_LENGTH)}…`
}

function checksum(body: string): string {
  return encodeBase62(crc32(body), CHECKSUM_LENGTH)
}
