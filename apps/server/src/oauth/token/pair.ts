import type { TokenHasher } from '../../kernel/crypto/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { mintToken, type RandomSource } from '../../kernel/tokens/index.ts'
import type { Parts } from '../parts.ts'
import { addPair } from '../store/grants.ts'

const accessTtlMs = 3_600_000
const refreshTtlMs = 30 * 24 * 3_600_000

export interface Pair {
  readonly access: string
  readonly refresh: string
}

export function mintPair(): Pair {
  return { access: mintToken('svc_oat_'), refresh: mintToken('svc_ort_') }
}

/**
 * What comes after a spent refresh token. Derived from the token itself, a nonce in its row and the pepper, so that it
 * can be given out again within the reuse window although no token is ever stored.
 */
export function derivePair(hasher: TokenHasher, spent: string, nonce: string): Pair {
  return {
    access: mintToken('svc_oat_', deriveBytes(hasher, `oauth access ${nonce} ${spent}`)),
    refresh: mintToken('svc_ort_', deriveBytes(hasher, `oauth refresh ${nonce} ${spent}`)),
  }
}

export async function storePair({ kernel }: Parts, tx: Tx, grantId: string, pair: Pair): Promise<Date> {
  const { hashToken } = kernel.tokenHasher
  const accessExpiresAt = new Date(kernel.clock.nowMs() + accessTtlMs)
  await addPair(tx.db, {
    tokenId: newId(),
    grantId,
    accessHash: hashToken(pair.access),
    accessExpiresAt,
    refreshHash: hashToken(pair.refresh),
    refreshExpiresAt: new Date(kernel.clock.nowMs() + refreshTtlMs),
  })
  return accessExpiresAt
}

/** An endless row of bytes that only the holder of the pepper can make. */
function deriveBytes(hasher: TokenHasher, seed: string): RandomSource {
  let block = 0
  let left = Buffer.alloc(0)
  return (sizeBytes) => {
    while (left.length < sizeBytes) {
      left = Buffer.concat([left, Buffer.from(hasher.hashToken(`${block++} ${seed}`), 'base64url')])
    }
    const taken = left.subarray(0, sizeBytes)
    left = left.subarray(sizeBytes)
    return taken
  }
}
