import { findCrypto } from './find-crypto.ts'

/**
 * Cookies that only this server can read or write: AES-256-GCM under the SHA-256 of the secret, the cookie's name bound
 * in so that one cannot stand in for another.
 */
export interface CookieSealer {
  seal(name: string, value: unknown): Promise<string>
  /** The value, or undefined for anything this server did not seal under that name. */
  open(name: string, text: string | undefined): Promise<unknown>
}

const IV_BYTES = 12

/** Seals and opens cookies with a secret. */
export function createCookieSealer(secret: string): CookieSealer {
  const encoder = new TextEncoder()
  const key = findCrypto().then(async ({ subtle }) => {
    const bytes = await subtle.digest('SHA-256', encoder.encode(secret))
    return subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  })
  return {
    async seal(name, value) {
      const crypto = await findCrypto()
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const algorithm = { name: 'AES-GCM', iv, additionalData: encoder.encode(name) }
      const sealed = await crypto.subtle.encrypt(algorithm, await key, encoder.encode(JSON.stringify(value)))
      return toBase64Url(new Uint8Array([...iv, ...new Uint8Array(sealed)]))
    },
    async open(name, text) {
      try {
        const bytes = fromBase64Url(text ?? '')
        const algorithm = {
          name: 'AES-GCM',
          iv: bytes.subarray(0, IV_BYTES),
          additionalData: encoder.encode(name),
        }
        const { subtle } = await findCrypto()
        const opened = await subtle.decrypt(algorithm, await key, bytes.subarray(IV_BYTES))
        return JSON.parse(new TextDecoder().decode(opened))
      } catch {
        // A cookie that was tampered with, cut or sealed by another secret is the same as none.
        return undefined
      }
    },
  }
}

/** Base64 for addresses and cookies. */
export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
}
