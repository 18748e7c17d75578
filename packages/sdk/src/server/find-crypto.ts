type WebCrypto = typeof globalThis.crypto

let found: Promise<WebCrypto> | undefined

/** Web crypto: the global one, or on Node 18, which has no global one, the module's. */
export function findCrypto(): Promise<WebCrypto> {
  found ??= globalThis.crypto
    ? Promise.resolve(globalThis.crypto)
    : import('node:crypto').then(({ webcrypto }) => webcrypto as WebCrypto)
  return found
}
