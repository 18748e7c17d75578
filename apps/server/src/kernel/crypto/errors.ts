/** The master key is missing, malformed, readable by others, or one that data still needs was dropped. */
export class MasterKeyError extends Error {
  override readonly name = 'MasterKeyError'
  readonly code = 'master_key'
}

/** A ciphertext was changed, cut, moved to another place, or belongs to a key that is gone. Nothing of it is returned. */
export class DecryptError extends Error {
  override readonly name = 'DecryptError'
  readonly code = 'decrypt_failed'
}
