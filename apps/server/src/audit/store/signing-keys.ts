import { eq } from 'drizzle-orm'
import type { Sql, Tx } from '../../kernel/database/index.ts'
import { auditSigningKeys } from '../schema.ts'

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

type NewKey = Pick<SigningKeyRow, 'keyId' | 'publicKey' | 'sealedPrivateKey' | 'createdAt'>

/**
 * The next key takes the place of the current one, if that was made before `madeBefore`. Of several nodes that do so at
 * once, one does: the others wait for it and then find a young key. Old keys stay, for what they signed.
 */
export async function replaceKey({ db }: Tx, next: NewKey, madeBefore: Date): Promise<SigningKeyRow | undefined> {
  const [current] = await db.select().from(auditSigningKeys).where(eq(auditSigningKeys.isCurrent, true)).for('update')
  if (!current || current.createdAt >= madeBefore) return undefined
  await db.update(auditSigningKeys).set({ isCurrent: false }).where(eq(auditSigningKeys.keyId, current.keyId))
  await db.insert(auditSigningKeys).values(next)
  return current
}

/** Of several nodes that make the first key at once, one wins; all read the winner's afterwards. */
export async function addFirstKey(sql: Sql, { keyId, publicKey, sealedPrivateKey, createdAt }: NewKey): Promise<void> {
  await sql`
    insert into svc.audit_signing_keys (key_id, public_key, sealed_private_key, created_at)
    values (${keyId}, ${publicKey}, ${sealedPrivateKey}, ${createdAt}) on conflict do nothing`
}

/** Newest first. */
export async function listKeys(sql: Sql): Promise<SigningKeyRow[]> {
  return sql<SigningKeyRow[]>`
    select key_id as "keyId", public_key as "publicKey", sealed_private_key as "sealedPrivateKey",
      is_current as "isCurrent", created_at as "createdAt"
    from svc.audit_signing_keys order by created_at desc, key_id desc limit 1000`
}
