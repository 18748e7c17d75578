import type { Sql } from '../../kernel/database/index.ts'

export interface SigningKeyRow {
  readonly keyId: string
  /** SPKI in base64. */
  readonly publicKey: string
  readonly sealedPrivateKey: Buffer
  readonly isCurrent: boolean
  readonly createdAt: Date
}

export async function findCurrentKey(sql: Sql): Promise<SigningKeyRow | undefined> {
  return (await listKeys(sql)).find(({ isCurrent }) => isCurrent)
}

/** Of several nodes that make the first key at once, one wins; all read the winner's afterwards. */
export async function addFirstKey(
  sql: Sql,
  { keyId, publicKey, sealedPrivateKey }: Pick<SigningKeyRow, 'keyId' | 'publicKey' | 'sealedPrivateKey'>,
): Promise<void> {
  await sql`
    insert into svc.audit_signing_keys (key_id, public_key, sealed_private_key)
    values (${keyId}, ${publicKey}, ${sealedPrivateKey}) on conflict do nothing`
}

/** Newest first. */
export async function listKeys(sql: Sql): Promise<SigningKeyRow[]> {
  return sql<SigningKeyRow[]>`
    select key_id as "keyId", public_key as "publicKey", sealed_private_key as "sealedPrivateKey",
      is_current as "isCurrent", created_at as "createdAt"
    from svc.audit_signing_keys order by created_at desc, key_id desc limit 1000`
}
