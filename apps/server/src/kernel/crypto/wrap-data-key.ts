import { randomBytes } from 'node:crypto'
import { newId } from '../ids/index.ts'
import { bindAssociated, openBox, sealBox } from './aes-gcm.ts'
import type { DataKeyRow } from './data-key-store.ts'
import { DecryptError, MasterKeyError } from './errors.ts'
import type { MasterKey, MasterKeys } from './master-keys.ts'

export interface DataKey {
  readonly id: string
  readonly scope: string
  readonly bytes: Buffer
}

export function createDataKey(scope: string, bytes: Buffer = randomBytes(32)): DataKey {
  return { id: newId(), scope, bytes }
}

/** A wrapped key is bound to its id and scope, so rows cannot be swapped between accounts. */
export function wrapDataKey(key: DataKey, master: MasterKey): DataKeyRow {
  const wrapped = sealBox(master.bytes, key.bytes, bindAssociated(['svc.envelope_keys', key.id, key.scope]))
  return { id: key.id, scope: key.scope, masterKeyId: master.id, wrapped }
}

export async function unwrapDataKey(row: DataKeyRow, masters: MasterKeys): Promise<DataKey> {
  const master = await masters.find(row.masterKeyId)
  if (!master) {
    throw new MasterKeyError(
      `The data key ${row.id} is wrapped with master key ${row.masterKeyId}, which is not configured. ` +
        'Put that key back behind the current one in SVC_MASTER_KEY or the master-key file.',
    )
  }
  const bytes = openBox(master.bytes, row.wrapped, bindAssociated(['svc.envelope_keys', row.id, row.scope]))
  if (!bytes) throw new DecryptError(`The stored data key ${row.id} of ${row.scope} was changed and cannot be used.`)
  return { id: row.id, scope: row.scope, bytes }
}
