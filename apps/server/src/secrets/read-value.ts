import type { SecretConsumer, SecretStrategy } from './delivery/delivery.ts'
import type { Parts } from './parts.ts'
import { placeOfPersonal, placeOfSecret } from './seal-value.ts'
import { findPersonal, findSecret, listSecretsByName, type SecretRow } from './store.ts'

export interface SecretValue {
  readonly secretId: string
  readonly identifier: string
  readonly name: string
  readonly strategy: SecretStrategy
  readonly consumer: SecretConsumer | null
  /** Never into a log, an error, an audit event or an answer. */
  readonly value: string
  readonly source: 'mine' | 'shared'
}

interface Wanted {
  readonly projectId: string
  readonly identifier: string
  /** Whose own value counts, when they have one that is active. */
  readonly forUserId?: string
}

/** For services of the platform that deliver or use a secret; whether its policy lets them is theirs to check. */
export async function readSecretValue(parts: Parts, wanted: Wanted): Promise<SecretValue | undefined> {
  const { projectId, identifier, forUserId } = wanted
  const { db } = parts.kernel.database
  const row = await findSecret(db, projectId, identifier)
  if (!row) return undefined
  const mine = forUserId === undefined ? undefined : await findPersonal(db, projectId, forUserId, row.name)
  if (!mine?.active) return openShared(parts, row)
  const value = await parts.kernel.envelope.openText(placeOfPersonal(mine), mine.sealedValue)
  return { ...describe(row), value, source: 'mine' }
}

/** Every secret for one environment variable, the newest first. */
export async function readSecretValues(parts: Parts, projectId: string, name: string): Promise<SecretValue[]> {
  const rows = await listSecretsByName(parts.kernel.database.db, projectId, name)
  return Promise.all(rows.map((row) => openShared(parts, row)))
}

async function openShared({ kernel }: Parts, row: SecretRow): Promise<SecretValue> {
  return {
    ...describe(row),
    value: await kernel.envelope.openText(placeOfSecret(row), row.sealedValue),
    source: 'shared',
  }
}

function describe({ secretId, identifier, name, strategy, consumer }: SecretRow) {
  return { secretId, identifier, name, strategy, consumer }
}
