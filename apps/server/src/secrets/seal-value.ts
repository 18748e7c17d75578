import type { Place } from '../kernel/crypto/index.ts'
import type { PersonalRow, SecretRow } from './store.ts'

/** A sealed value opens only as the secret it was sealed for: copied to another row or account it is worthless. */
export function placeOfSecret({ accountId, secretId }: Pick<SecretRow, 'accountId' | 'secretId'>): Place {
  return { scope: accountId, table: 'secrets', row: secretId, field: 'sealed_value' }
}

export function placeOfPersonal({
  accountId,
  personalSecretId,
}: Pick<PersonalRow, 'accountId' | 'personalSecretId'>): Place {
  return { scope: accountId, table: 'personal_secrets', row: personalSecretId, field: 'sealed_value' }
}
