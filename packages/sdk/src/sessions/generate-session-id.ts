/**
 * A new session id: a random UUID (RFC 4122, version 4), also where `crypto.randomUUID` is missing.
 *
 * @example
 * await project.sessions.create({ session_id: generateSessionId() })
 */
export function generateSessionId(): string {
  const random = globalThis.crypto
  if (typeof random?.randomUUID === 'function') return random.randomUUID()
  const bytes = new Uint8Array(16)
  if (typeof random?.getRandomValues === 'function') random.getRandomValues(bytes)
  else for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(Math.random() * 256)
  return formatUuid(bytes)
}

/** Sets the version and variant bits and prints the bytes in the usual groups. */
export function formatUuid(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte, at) => {
    const value = at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte
    return value.toString(16).padStart(2, '0')
  }).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
