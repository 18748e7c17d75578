import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createEnvelope, loadMasterKeys } from './crypto/index.ts'
import { createTestDatabase } from './database/testing.ts'
import { run } from './rotate-keys.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-rotate-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

async function rotate(env: Record<string, string> = {}): Promise<{ code: number; said: string }> {
  const lines: string[] = []
  const code = await run({ SVC_DATA_DIR: dataDir, ...env }, (line) => void lines.push(line))
  return { code, said: lines.join('\n') }
}

test('a rotated key is picked up by a running server at its next re-wrap, and what was sealed stays readable', async () => {
  const database = await createTestDatabase()
  const { sql } = database
  const running = createEnvelope({ sql, masterKeys: await loadMasterKeys({ dataDir, sql }) })
  const place = { scope: 'platform', table: 'secrets', row: '1', field: 'value' }
  const sealed = await running.seal(place, 'x')
  const { code, said } = await rotate()
  expect(code).toBe(0)
  expect(await running.rewrapDataKeys()).toEqual({ rewrapped: 1 })
  const masterKeys = await loadMasterKeys({ dataDir, sql })
  expect(said).toContain(masterKeys.current().id)
  expect(said).not.toContain(masterKeys.current().bytes.toString('base64'))
  const [row] = await sql`select master_key_id as id from svc.envelope_keys`
  expect(row?.id).toBe(masterKeys.current().id)
  expect(await createEnvelope({ sql, masterKeys }).openText(place, sealed)).toBe('x')
  expect((await readFile(join(dataDir, 'master-key'), 'utf8')).trim().split('\n').length).toBe(2)
  await database.close()
})

test('without a key file, or with the key in the environment, nothing is made and the next step is told', async () => {
  expect(await rotate()).toMatchObject({ code: 1, said: expect.stringContaining('is missing') })
  const SVC_MASTER_KEY = Buffer.alloc(32, 1).toString('base64')
  const refused = await rotate({ SVC_MASTER_KEY })
  expect(refused).toMatchObject({ code: 1, said: expect.stringContaining('SVC_MASTER_KEY=<new key>,<old key>') })
  expect(refused.said).not.toContain(SVC_MASTER_KEY)
  await expect(stat(join(dataDir, 'master-key'))).rejects.toThrow(/ENOENT/)
})
