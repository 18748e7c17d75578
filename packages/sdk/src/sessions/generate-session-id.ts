/**
 * A new session id: a random UUID (RFC 4122, version 4), also where `crypto.randomUUID` is missing.
 *
 * @example
 * await project.sessions.create({ session_id: generateSessionId() })
 */
export function generateSessionId(): string {
  const random: Partial<typeof globalThis.crypto> | undefined = globalThis.crypto
  if (random?.randomUUID) return random.randomUUID()
  const bytes = Uint8Array.from({ length: 16 }, () => Math.random() * 256)
  return formatUuid(random?.getRandomValues?.(bytes) ?? bytes)
}

/** Sets the version and variant bits and prints the bytes in the usual groups. */
export function formatUuid(bytes: Uint8Array): string {
  const view = Uint8Array.from(bytes)
  view[6] = ((view[6] ?? 0) & 0x0f) | 0x40
  view[8] = ((view[8] ?? 0) & 0x3f) | 0x80
  return toHex(view).replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Bytes as hexadecimal digits. */
export function toHex(bytes: Iterable<number>, digits = 2): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(digits, '0')).join('')
}
