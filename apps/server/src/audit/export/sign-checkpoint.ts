import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Place } from '../../kernel/crypto/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { canonicalJson } from '../canonical-json.ts'
import { addFirstKey, findCurrentKey, listKeys, type SigningKeyRow } from '../store/signing-keys.ts'

/** What an unfiltered page says of itself: which stretch of the chain it is, and where the chain ended just then. */
export interface Checkpoint {
  readonly account_id: string
  readonly first_sequence: number
  readonly last_sequence: number
  readonly count: number
  /** Of the last row. */
  readonly hash: string
  readonly head_sequence: number
  readonly head_hash: string
  readonly issued_at: string
}

export interface SignedCheckpoint extends Checkpoint {
  readonly key_id: string
  /** SPKI in base64: names the key; whoever checks compares it with the one they know. */
  readonly public_key: string
  /** Ed25519 in base64, over the canonical JSON of everything else here. */
  readonly signature: string
}

export interface CheckpointSigner {
  sign(checkpoint: Checkpoint): Promise<SignedCheckpoint>
  listKeys(): Promise<SigningKeyRow[]>
}

export function createCheckpointSigner({
  database,
  envelope,
}: Pick<Kernel, 'database' | 'envelope'>): CheckpointSigner {
  let known: { row: SigningKeyRow; privateKey: KeyObject } | undefined

  async function currentKey() {
    known ??= await openKey(await ensureKey())
    return known
  }

  async function ensureKey(): Promise<SigningKeyRow> {
    const found = await findCurrentKey(database.sql)
    if (found) return found
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const keyId = newId()
    const sealedPrivateKey = await envelope.seal(placeOf(keyId), privateKey.export({ type: 'pkcs8', format: 'der' }))
    const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    await addFirstKey(database.sql, { keyId, publicKey: spki, sealedPrivateKey })
    return ensureKey()
  }

  async function openKey(row: SigningKeyRow) {
    const der = await envelope.open(placeOf(row.keyId), row.sealedPrivateKey)
    return { row, privateKey: createPrivateKey({ key: der, type: 'pkcs8', format: 'der' }) }
  }

  return {
    async sign(checkpoint) {
      const { row, privateKey } = await currentKey()
      const signed = { ...checkpoint, key_id: row.keyId, public_key: row.publicKey }
      const signature = sign(null, Buffer.from(canonicalJson(signed)), privateKey).toString('base64')
      return { ...signed, signature }
    },
    async listKeys() {
      await currentKey()
      return listKeys(database.sql)
    },
  }
}

function placeOf(keyId: string): Place {
  return { scope: 'platform', table: 'audit_signing_keys', row: keyId, field: 'private_key' }
}
