import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Sql } from 'postgres'
import { dataKeyStore } from './data-key-store.ts'
import type { MasterKeys } from './master-keys.ts'
import { createDataKey, unwrapDataKey, wrapDataKey } from './wrap-data-key.ts'

const PEPPER_SCOPE = 'pepper:token'

export interface TokenHasher {
  /** The form a token is stored and looked up in: 43 characters, useless without the pepper. */
  hashToken(token: string): string
}

/**
 * The pepper is derived from the first master key and then kept wrapped beside the data keys, so that a rotation of
 * the master key leaves every stored hash valid.
 */
export async function loadTokenHasher(sql: Sql, masterKeys: MasterKeys): Promise<TokenHasher> {
  const store = dataKeyStore(sql)
  const stored = (await store.findActive(PEPPER_SCOPE)) ?? (await store.addActive(derivePepper(masterKeys)))
  const pepper = (await unwrapDataKey(stored, masterKeys)).bytes
  return { hashToken: (token) => createHmac('sha256', pepper).update(token).digest('base64url') }
}

function derivePepper(masterKeys: MasterKeys) {
  const master = masterKeys.current()
  const pepper = Buffer.from(hkdfSync('sha256', master.bytes, Buffer.alloc(0), 'svc token pepper v1', 32))
  return wrapDataKey(createDataKey(PEPPER_SCOPE, pepper), master)
}

/** Compares without telling by its time where the texts differ. */
export function equalConstantTime(left: string | Uint8Array, right: string | Uint8Array): boolean {
  const a = createHmac('sha256', COMPARE_KEY).update(left).digest()
  const b = createHmac('sha256', COMPARE_KEY).update(right).digest()
  return timingSafeEqual(a, b)
}

/** Not a secret: hashing first makes texts of any length comparable at one length. */
const COMPARE_KEY = 'svc constant-time compare'
