import type { Sql } from 'postgres'
import type { Clock } from '../clock/index.ts'
import { systemClock } from '../clock/index.ts'
import { BOX_OVERHEAD_BYTES, bindAssociated, openBox, sealBox } from './aes-gcm.ts'
import { type DataKeyStore, dataKeyStore } from './data-key-store.ts'
import { DecryptError } from './errors.ts'
import type { MasterKeys } from './master-keys.ts'
import { createDataKey, type DataKey, unwrapDataKey, wrapDataKey } from './wrap-data-key.ts'

const VERSION = 1
const KEY_ID_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES
/** A data key retired on another node is used for new ciphertexts no longer than this. Reading is not affected. */
const ACTIVE_TTL_MS = 60_000
const CACHED_KEYS = 10_000

/** Where a ciphertext lives. It opens only for the same account, table, row and field it was sealed for. */
export interface Place {
  /** The account whose data key is used, or `platform` for what belongs to none. */
  scope: string
  table: string
  row: string
  field: string
}

export interface Envelope {
  seal(place: Place, plain: string | Uint8Array): Promise<Buffer>
  /** Throws `DecryptError` when a byte was changed or the ciphertext was made for another place. */
  open(place: Place, sealed: Uint8Array): Promise<Buffer>
  openText(place: Place, sealed: Uint8Array): Promise<string>
  /** A new data key for what is sealed from now on. What the old ones sealed stays readable. */
  rotateDataKey(scope: string): Promise<void>
  /** True when the ciphertext was made with a key that was rotated away: seal it anew when it is next written. */
  needsReseal(sealed: Uint8Array): Promise<boolean>
  /** Wraps every data key with the current master key. Safe to repeat and to run on several nodes. */
  rewrapDataKeys(): Promise<{ rewrapped: number }>
}

export interface EnvelopeOptions {
  sql: Sql
  masterKeys: MasterKeys
  clock?: Clock
}

export function createEnvelope({ sql, masterKeys, clock = systemClock }: EnvelopeOptions): Envelope {
  const store = dataKeyStore(sql)
  const keysById = new Map<string, DataKey>()
  const activeByScope = new Map<string, { key: DataKey; untilMs: number }>()

  async function activeKey(scope: string): Promise<DataKey> {
    const cached = activeByScope.get(scope)
    if (cached && cached.untilMs > clock.nowMs()) return cached.key
    const row = (await store.findActive(scope)) ?? (await store.addActive(makeRow(scope)))
    const key = await unwrapDataKey(row, masterKeys)
    remember(activeByScope, scope, { key, untilMs: clock.nowMs() + ACTIVE_TTL_MS })
    remember(keysById, key.id, key)
    return key
  }

  async function keyById(id: string): Promise<DataKey | undefined> {
    const cached = keysById.get(id)
    if (cached) return cached
    const row = await store.find(id)
    if (!row) return undefined
    const key = await unwrapDataKey(row, masterKeys)
    remember(keysById, id, key)
    return key
  }

  const makeRow = (scope: string) => wrapDataKey(createDataKey(scope), masterKeys.current())

  async function open(place: Place, sealed: Uint8Array): Promise<Buffer> {
    const header = readHeader(sealed)
    if (!header) throw refuse(place, 'it is cut short or in a form this version does not know')
    const key = await keyById(header.keyId)
    if (!key || key.scope !== place.scope) throw refuse(place, 'its key is not one of this account')
    const plain = openBox(key.bytes, sealed.subarray(HEADER_BYTES), associate(place, header.bytes))
    if (!plain) throw refuse(place, 'it was changed, or it was made for another place')
    return plain
  }

  return {
    async seal(place, plain) {
      const key = await activeKey(place.scope)
      const header = writeHeader(key.id)
      return Buffer.concat([header, sealBox(key.bytes, toBytes(plain), associate(place, header))])
    },
    open,
    openText: async (place, sealed) => (await open(place, sealed)).toString('utf8'),
    async rotateDataKey(scope) {
      await store.replaceActive(makeRow(scope))
      activeByScope.delete(scope)
    },
    async needsReseal(sealed) {
      const header = readHeader(sealed)
      const row = header && (await store.find(header.keyId))
      if (!row) return false
      return (await store.findActive(row.scope))?.id !== row.id
    },
    rewrapDataKeys: () => rewrapAll(store, masterKeys),
  }
}

async function rewrapAll(store: DataKeyStore, masterKeys: MasterKeys): Promise<{ rewrapped: number }> {
  await masterKeys.reload()
  const master = masterKeys.current()
  let rewrapped = 0
  for (;;) {
    const rows = await store.listWrappedByOthers(master.id, 500)
    for (const row of rows) {
      const key = await unwrapDataKey(row, masterKeys)
      if (await store.rewrap(row, master.id, wrapDataKey(key, master).wrapped)) rewrapped += 1
    }
    if (rows.length === 0) return { rewrapped }
  }
}

function writeHeader(keyId: string): Buffer {
  return Buffer.concat([Buffer.from([VERSION]), Buffer.from(keyId.replaceAll('-', ''), 'hex')])
}

function readHeader(sealed: Uint8Array): { keyId: string; bytes: Buffer } | undefined {
  if (sealed.length < HEADER_BYTES + BOX_OVERHEAD_BYTES || sealed[0] !== VERSION) return undefined
  const bytes = Buffer.from(sealed.subarray(0, HEADER_BYTES))
  const hex = bytes.toString('hex', 1)
  const keyId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  return { keyId, bytes }
}

function associate(place: Place, header: Buffer): Buffer {
  return bindAssociated([header.toString('hex'), place.scope, place.table, place.row, place.field])
}

function refuse(place: Place, why: string): DecryptError {
  return new DecryptError(`The encrypted value of ${place.table}.${place.field} (${place.row}) was refused: ${why}.`)
}

function toBytes(plain: string | Uint8Array): Uint8Array {
  return typeof plain === 'string' ? Buffer.from(plain, 'utf8') : plain
}

/** Keeps a cache bounded by forgetting what was added first. */
function remember<V>(cache: Map<string, V>, name: string, value: V): void {
  cache.delete(name)
  cache.set(name, value)
  if (cache.size <= CACHED_KEYS) return
  const [oldest] = cache.keys()
  if (oldest !== undefined) cache.delete(oldest)
}
