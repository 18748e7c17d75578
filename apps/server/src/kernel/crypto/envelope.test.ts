import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../database/index.ts'
import { createTestDatabase } from '../database/testing.ts'
import { newId } from '../ids/index.ts'
import {
  createEnvelope,
  DecryptError,
  dropOldMasterKeys,
  equalConstantTime,
  loadMasterKeys,
  loadTokenHasher,
  MasterKeyError,
  rotateMasterKeyFile,
} from './index.ts'

let database: Database
let dataDir: string
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-keys-'))
  await database.sql`truncate svc.envelope_keys`
  return () => rm(dataDir, { recursive: true })
})

async function openEnvelope() {
  const masterKeys = await loadMasterKeys({ dataDir, sql: database.sql })
  return createEnvelope({ sql: database.sql, masterKeys })
}

const place = { scope: newId(), table: 'secrets', row: 'row-1', field: 'value' }

describe('sealing', () => {
  test('what is sealed opens again, and the same text never gives the same bytes', async () => {
    const envelope = await openEnvelope()
    const first = await envelope.seal(place, 'hündchen')
    const second = await envelope.seal(place, 'hündchen')
    expect(first.equals(second)).toBe(false)
    expect(await envelope.openText(place, first)).toBe('hündchen')
    expect(first.includes('hündchen')).toBe(false)
    const empty = await envelope.seal(place, '')
    expect((await envelope.open(place, empty)).length).toBe(0)
  })

  test('a flipped bit anywhere, a cut or an addition is refused with a clear error', async () => {
    const envelope = await openEnvelope()
    const sealed = await envelope.seal(place, 'the value')
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      await expect(envelope.open(place, changed), `byte ${at}`).rejects.toBeInstanceOf(DecryptError)
    }
    for (const wrong of [sealed.subarray(0, -1), Buffer.concat([sealed, Buffer.alloc(1)]), Buffer.alloc(0)]) {
      await expect(envelope.open(place, wrong)).rejects.toThrow(/secrets\.value \(row-1\) was refused/)
    }
  })

  test('a ciphertext moved to another account, table, row or field is refused', async () => {
    const envelope = await openEnvelope()
    const sealed = await envelope.seal(place, 'x')
    const elsewhere = [
      { ...place, scope: newId() },
      { ...place, table: 'tokens' },
      { ...place, row: 'row-2' },
      { ...place, field: 'other' },
      { ...place, table: 'secrets","row-1', row: 'x' },
    ]
    for (const wrong of elsewhere) await expect(envelope.open(wrong, sealed)).rejects.toBeInstanceOf(DecryptError)
  })

  test('two nodes that seal for a new account at once agree on one data key', async () => {
    const nodes = await Promise.all([openEnvelope(), openEnvelope(), openEnvelope(), openEnvelope()])
    const sealed = await Promise.all(nodes.map((node) => node.seal(place, 'x')))
    for (const node of nodes) for (const one of sealed) expect(await node.openText(place, one)).toBe('x')
    const rows = await database.sql`select id from svc.envelope_keys where scope = ${place.scope}`
    expect(rows.length).toBe(1)
  })

  test('a wrapped key moved to another account is refused', async () => {
    const envelope = await openEnvelope()
    const sealed = await envelope.seal(place, 'x')
    const thief = newId()
    await database.sql`update svc.envelope_keys set scope = ${thief}`
    await expect((await openEnvelope()).open({ ...place, scope: thief }, sealed)).rejects.toThrow(/was changed/)
  })
})

describe('rotation', () => {
  test('after a data key is rotated, old values still open and new ones use the new key', async () => {
    const envelope = await openEnvelope()
    const old = await envelope.seal(place, 'old')
    await envelope.rotateDataKey(place.scope)
    const fresh = await envelope.seal(place, 'new')
    expect(fresh.subarray(1, 17).equals(old.subarray(1, 17))).toBe(false)
    expect(await envelope.openText(place, old)).toBe('old')
    expect(await envelope.openText(place, fresh)).toBe('new')
    expect([await envelope.needsReseal(old), await envelope.needsReseal(fresh)]).toEqual([true, false])
  })

  test('the master key changes while nodes run: nothing stops opening, before and after the re-wrap', async () => {
    const running = await openEnvelope()
    const sealed = await running.seal(place, 'x')
    await rotateMasterKeyFile(dataDir)
    const restarted = await openEnvelope()
    const other = { ...place, scope: newId() }
    const byNewKey = await restarted.seal(other, 'y')
    expect(await running.openText(other, byNewKey)).toBe('y')
    expect(await restarted.openText(place, sealed)).toBe('x')

    expect(await restarted.rewrapDataKeys()).toEqual({ rewrapped: 1 })
    expect(await restarted.rewrapDataKeys()).toEqual({ rewrapped: 0 })
    await dropOldMasterKeys(dataDir)
    const later = await openEnvelope()
    expect(await later.openText(place, sealed)).toBe('x')
    expect(await running.openText(place, sealed)).toBe('x')
  })

  test('a master key dropped too early gives an error that says what to do', async () => {
    const sealed = await (await openEnvelope()).seal(place, 'x')
    await rotateMasterKeyFile(dataDir)
    await dropOldMasterKeys(dataDir)
    await expect((await openEnvelope()).open(place, sealed)).rejects.toThrow(/Put that key back/)
  })
})

describe('the master key', () => {
  test('is made once, in a file only its owner can read, also when nodes start together', async () => {
    const nodes = await Promise.all(Array.from({ length: 5 }, () => loadMasterKeys({ dataDir })))
    expect(new Set(nodes.map((node) => node.current().id)).size).toBe(1)
    expect((await stat(join(dataDir, 'master-key'))).mode & 0o777).toBe(0o600)
    expect(Buffer.from(await readFile(join(dataDir, 'master-key'), 'utf8'), 'base64').length).toBe(32)
  })

  test('whose file vanished while a node runs is neither replaced nor forgotten, and the node says so', async () => {
    const masterKeys = await loadMasterKeys({ dataDir, sql: database.sql })
    const running = createEnvelope({ sql: database.sql, masterKeys })
    const sealed = await running.seal(place, 'x')
    const path = join(dataDir, 'master-key')
    const text = await readFile(path, 'utf8')
    await rm(path)
    const missing = /master-key is missing\. Restore it/
    await expect(running.rewrapDataKeys()).rejects.toThrow(missing)
    await expect(masterKeys.find('of another node')).rejects.toThrow(missing)
    await expect(rotateMasterKeyFile(dataDir)).rejects.toThrow(missing)
    await expect(stat(path)).rejects.toThrow(/ENOENT/)
    const unread = createEnvelope({ sql: database.sql, masterKeys })
    expect(await unread.openText(place, sealed)).toBe('x')
    await writeFile(path, text, { mode: 0o600 })
    await masterKeys.reload()
    expect(await (await openEnvelope()).openText(place, sealed)).toBe('x')
  })

  test('whose file is gone at a start is made anew only while nothing was sealed', async () => {
    await (await openEnvelope()).seal(place, 'x')
    await rm(join(dataDir, 'master-key'))
    const starting = loadMasterKeys({ dataDir, sql: database.sql })
    await expect(starting).rejects.toBeInstanceOf(MasterKeyError)
    await expect(starting).rejects.toThrow(/Restore it from the backup/)
    await expect(stat(join(dataDir, 'master-key'))).rejects.toThrow(/ENOENT/)
    await database.sql`truncate svc.envelope_keys`
    expect((await loadMasterKeys({ dataDir, sql: database.sql })).current().bytes.length).toBe(32)
  })

  test('in a file that others can read is refused with the command that cures it', async () => {
    await loadMasterKeys({ dataDir })
    await chmod(join(dataDir, 'master-key'), 0o644)
    await expect(loadMasterKeys({ dataDir })).rejects.toThrow(/chmod 600/)
  })

  test('from the environment wins over the file, and several are newest first', async () => {
    const [a, b] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')]
    const keys = await loadMasterKeys({ dataDir, environmentValue: `${b},${a}` })
    const old = await loadMasterKeys({ dataDir, environmentValue: a })
    expect(await keys.find(old.current().id)).toEqual(old.current())
    expect(keys.current().bytes).toEqual(Buffer.alloc(32, 2))
    await expect(stat(join(dataDir, 'master-key'))).rejects.toThrow()
  })

  test.each(['short', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64'), '!!!!', ' '])(
    '"%s" is refused',
    async (value) => {
      await expect(loadMasterKeys({ dataDir, environmentValue: value })).rejects.toBeInstanceOf(MasterKeyError)
    },
  )
})

describe('token hashes', () => {
  test('stay the same across restarts and master key rotations, and depend on the pepper', async () => {
    const hash = async () =>
      (await loadTokenHasher(database.sql, await loadMasterKeys({ dataDir }))).hashToken('svc_pat_x')
    const first = await hash()
    expect(first).toMatch(/^[A-Za-z0-9_-]{43}$/)
    await rotateMasterKeyFile(dataDir)
    expect(await hash()).toBe(first)
    await (await openEnvelope()).rewrapDataKeys()
    await dropOldMasterKeys(dataDir)
    expect(await hash()).toBe(first)
    await database.sql`truncate svc.envelope_keys`
    expect(await hash()).not.toBe(first)
  })

  test('texts are compared whole', () => {
    expect(equalConstantTime('abc', 'abc')).toBe(true)
    expect(equalConstantTime('abc', Buffer.from('abc'))).toBe(true)
    for (const other of ['', 'ab', 'abcd', 'abd']) expect(equalConstantTime('abc', other)).toBe(false)
  })
})
