import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { systemActor } from '../../kernel/actor.ts'
import type { Place } from '../../kernel/crypto/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { canonicalJson } from '../canonical-json.ts'
import { addFirstKey, findCurrentKey, listKeys, replaceKey, type SigningKeyRow } from '../store/signing-keys.ts'

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
  /** A new key signs from now on if the current one is a year old. Tells whether it was. */
  rotateOldKey(): Promise<boolean>
}

const keyLivesMs = 365 * 86_400_000

export function createCheckpointSigner({
  database,
  envelope,
  clock,
}: Pick<Kernel, 'database' | 'envelope' | 'clock'>): CheckpointSigner {
  let known: { row: SigningKeyRow; privateKey: KeyObject } | undefined

  /** Asks which key is current every time, so that no node signs with one that another node replaced. */
  async function currentKey() {
    const row = await ensureKey()
    if (known?.row.keyId !== row.keyId) known = await openKey(row)
    return known
  }

  async function ensureKey(): Promise<SigningKeyRow> {
    const found = await findCurrentKey(database.sql)
    if (found) return found
    await addFirstKey(database.sql, await makeKey())
    return ensureKey()
  }

  async function makeKey() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const keyId = newId()
    const sealedPrivateKey = await envelope.seal(placeOf(keyId), privateKey.export({ type: 'pkcs8', format: 'der' }))
    const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    return { keyId, publicKey: spki, sealedPrivateKey, createdAt: clock.now() }
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
    async rotateOldKey() {
      const madeBefore = new Date(clock.nowMs() - keyLivesMs)
      if ((await ensureKey()).createdAt >= madeBefore) return false
      const next = await makeKey()
      return database.transact(systemActor, async (tx) => {
        const old = await replaceKey(tx, next, madeBefore)
        if (!old) return false
        const metadata = { previous_key_id: old.keyId, public_key: next.publicKey }
        const about = { resourceType: 'audit_signing_key', resourceId: next.keyId }
        await tx.audit({ action: 'audit.signing_key.rotate', ...about, metadata })
        return true
      })
    },
  }
}

function placeOf(keyId: string): Place {
  return { scope: 'platform', table: 'audit_signing_keys', row: keyId, field: 'private_key' }
}
