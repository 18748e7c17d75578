import { createHash, randomBytes } from 'node:crypto'
import { chmod, chown, link, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Sql } from 'postgres'
import { dataKeyStore } from './data-key-store.ts'
import { MasterKeyError } from './errors.ts'

const KEY_BYTES = 32
const FILE_NAME = 'master-key'
const FILE_MODE = 0o600

export interface MasterKey {
  /** Derived from the key, so the same key has the same id on every node. Says nothing about the key. */
  readonly id: string
  readonly bytes: Buffer
}

export interface MasterKeys {
  /** New data keys are wrapped with this one. */
  current(): MasterKey
  /**
   * Any key that was not dropped yet; an unknown id makes the source be read again once, for a rotation elsewhere.
   * A source that cannot be read is an error, and the keys known so far stay in use.
   */
  find(id: string): Promise<MasterKey | undefined>
  /** Reads the source again. When it cannot be read this fails, and the keys known so far stay in use. */
  reload(): Promise<void>
}

export interface MasterKeyOptions {
  dataDir: string
  /** The value of `SVC_MASTER_KEY`: base64 of 32 bytes; several, separated by commas, newest first. Wins over the file. */
  environmentValue?: string | undefined
  /** The database whose data keys these keys wrap: while it has any, a missing file is never replaced by a new one. */
  sql?: Sql
}

/**
 * Reads the master keys; on a first start without `SVC_MASTER_KEY` it makes one and keeps it in a 0600 file. Only here
 * and only while nothing is sealed yet: a new key in place of a lost one would lose everything that was sealed.
 */
export async function loadMasterKeys(options: MasterKeyOptions): Promise<MasterKeys> {
  const path = join(options.dataDir, FILE_NAME)
  const given = options.environmentValue
  const read = given ? async () => parseKeys(given, 'SVC_MASTER_KEY') : () => readFileKeys(path)
  let keys = given ? await read() : await readOrCreateFile(path, options.sql)
  return {
    current: () => firstOf(keys),
    async find(id) {
      const known = keys.find((key) => key.id === id)
      if (known) return known
      keys = await read()
      return keys.find((key) => key.id === id)
    },
    async reload() {
      keys = await read()
    },
  }
}

/**
 * Puts a new key in front of the file. Older keys stay and still decrypt; running nodes pick the new one up at their
 * next `reload()` or when they meet it. Run the re-wrap job afterwards, then `dropOldMasterKeys`.
 */
export async function rotateMasterKeyFile(dataDir: string): Promise<MasterKey> {
  const path = join(dataDir, FILE_NAME)
  const fresh = toKey(randomBytes(KEY_BYTES))
  const keys = [fresh, ...(await readFileKeys(path))]
  await replaceFile(path, formatKeys(keys))
  return fresh
}

/** Removes every key but the current one. Only after the re-wrap job reported that no data key needs them. */
export async function dropOldMasterKeys(dataDir: string): Promise<void> {
  const path = join(dataDir, FILE_NAME)
  const keys = await readFileKeys(path)
  await replaceFile(path, formatKeys([firstOf(keys)]))
}

async function readOrCreateFile(path: string, sql: Sql | undefined): Promise<MasterKey[]> {
  const keys = await findFileKeys(path)
  if (keys) return keys
  // A node that started meanwhile made the file before its first data key, so with data keys the file must be there.
  if (sql && (await dataKeyStore(sql).hasAny())) return readFileKeys(path)
  return createFile(path)
}

async function readFileKeys(path: string): Promise<MasterKey[]> {
  const keys = await findFileKeys(path)
  if (keys) return keys
  throw new MasterKeyError(
    `The master key file ${path} is missing. Restore it from the backup: without it, what was sealed cannot be read.`,
  )
}

async function findFileKeys(path: string): Promise<MasterKey[] | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  await refuseSharedFile(path)
  return parseKeys(text, path)
}

/** Two nodes that start together agree on one file: the loser of `link` reads the winner's. */
async function createFile(path: string): Promise<MasterKey[]> {
  const key = toKey(randomBytes(KEY_BYTES))
  const temporary = await writeTemporary(path, formatKeys([key]))
  try {
    await link(temporary, path)
    await syncFolder(path)
    return [key]
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return readFileKeys(path)
    throw error
  } finally {
    await unlink(temporary)
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const { uid, gid } = await stat(path)
  const temporary = await writeTemporary(path, text)
  // Root may rotate for a server that runs as another user, who must still be able to read the file.
  if (process.getuid?.() === 0) await chown(temporary, uid, gid)
  await rename(temporary, path)
  await syncFolder(path)
}

/** Until the folder is written down, a power cut may take the file's new name away again. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r')
  await folder.sync().finally(() => folder.close())
}

async function writeTemporary(path: string, text: string): Promise<string> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  const file = await open(temporary, 'wx', FILE_MODE)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await chmod(temporary, FILE_MODE)
  return temporary
}

async function refuseSharedFile(path: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & 0o077) === 0) return
  throw new MasterKeyError(
    `The master key file ${path} can be read by other users (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 ${path}`,
  )
}

/** Whether a text holds one key or several, each of them whole. */
export function areMasterKeys(text: string): boolean {
  const parts = splitKeys(text)
  return parts.length > 0 && parts.every((part) => parseKey(part) !== undefined)
}

function parseKeys(text: string, source: string): MasterKey[] {
  const parts = splitKeys(text)
  if (parts.length === 0)
    throw new MasterKeyError(`${source} holds no key. It needs the base64 form of 32 random bytes.`)
  return parts.map((part, index) => {
    const bytes = parseKey(part)
    if (bytes) return toKey(bytes)
    throw new MasterKeyError(
      `Key ${index + 1} in ${source} is not the base64 form of 32 bytes. Make one with: openssl rand -base64 32`,
    )
  })
}

function splitKeys(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '')
}

function parseKey(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64')
  return bytes.length === KEY_BYTES && /^[A-Za-z0-9+/_-]+={0,2}$/.test(part) ? bytes : undefined
}

function formatKeys(keys: MasterKey[]): string {
  return `${keys.map((key) => key.bytes.toString('base64')).join('\n')}\n`
}

function toKey(bytes: Buffer): MasterKey {
  const id = createHash('sha256').update('svc master key id\0').update(bytes).digest('hex').slice(0, 16)
  return { id, bytes }
}

function firstOf(keys: MasterKey[]): MasterKey {
  const [first] = keys
  if (!first) throw new MasterKeyError('There is no master key.')
  return first
}
