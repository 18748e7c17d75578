let found: Promise<Crypto> | undefined

/** Web crypto: the global one, or on Node 18, which has no global one, the module's. */
export function findCrypto(): Promise<Crypto> {
  found ??= globalThis.crypto
    ? Promise.resolve(globalThis.crypto)
    : import('node:crypto').then(({ webcrypto }) => webcrypto as Crypto)
  return found
}
