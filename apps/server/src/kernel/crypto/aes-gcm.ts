import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
export const BOX_OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES

/** AES-256-GCM: nonce, ciphertext, tag. */
export function sealBox(key: Uint8Array, plain: Uint8Array, associated: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(associated)
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Undefined when the key, the associated data or any byte of the box is not what was sealed. */
export function openBox(key: Uint8Array, box: Uint8Array, associated: Uint8Array): Buffer | undefined {
  if (box.length < BOX_OVERHEAD_BYTES) return undefined
  const tagStart = box.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(associated)
  decipher.setAuthTag(box.subarray(tagStart))
  const plain = decipher.update(box.subarray(NONCE_BYTES, tagStart))
  try {
    return Buffer.concat([plain, decipher.final()])
  } catch {
    // final() throws for one reason only, a tag that does not match; the caller names the place in its error.
    return undefined
  }
}

/** Joins texts so that no two different lists give the same bytes. */
export function bindAssociated(parts: string[]): Buffer {
  return Buffer.from(JSON.stringify(parts))
}
