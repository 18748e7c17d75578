import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFakeClock } from '../../kernel/clock/index.ts'
import { createEnvelope, loadMasterKeys } from '../../kernel/crypto/index.ts'
import { createTestDatabase } from '../../kernel/database/testing.ts'
import { newId } from '../../kernel/ids/index.ts'
import { firstPreviousHash, hashRecord } from '../event-record.ts'
import { createCheckpointSigner } from './sign-checkpoint.ts'

const verifier = fileURLToPath(new URL('../../../../../scripts/audit-verify.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-audit-keys-'))
const dayMs = 86_400_000

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a key of a year is replaced once, every node signs with the new one at once, and the old one still verifies', async () => {
  const clock = createFakeClock(Date.now())
  const masterKeys = await loadMasterKeys({ dataDir: '.', environmentValue: Buffer.alloc(32, 7).toString('base64') })
  const startNode = () =>
    createCheckpointSigner({ database, clock, envelope: createEnvelope({ sql: database.sql, masterKeys, clock }) })
  const [one, two] = [startNode(), startNode()]
  const accountId = newId()

  async function writeExport(node: typeof one): Promise<{ file: string; keyId: string }> {
    const event = { event_id: newId(), sequence: 1, previous_hash: firstPreviousHash, account_id: accountId }
    const hash = hashRecord(event)
    const place = { first_sequence: 1, last_sequence: 1, count: 1, head_sequence: 1, hash, head_hash: hash }
    const issued = { account_id: accountId, issued_at: clock.now().toISOString() }
    const checkpoint = await node.sign({ ...place, ...issued })
    const file = join(folder, `${newId()}.jsonl`)
    writeFileSync(file, `${JSON.stringify({ ...event, hash, checkpoint })}\n`)
    return { file, keyId: checkpoint.key_id }
  }

  const before = await writeExport(one)
  expect((await writeExport(two)).keyId).toBe(before.keyId)
  clock.jumpTo(clock.nowMs() + 364 * dayMs)
  expect(await one.rotateOldKey()).toBe(false)
  clock.jumpTo(clock.nowMs() + 2 * dayMs)
  const rotated = await Promise.all([one, two, one, two].map((node) => node.rotateOldKey()))
  expect(rotated.filter(Boolean)).toHaveLength(1)

  const after = await writeExport(one)
  expect(after.keyId).not.toBe(before.keyId)
  expect((await writeExport(two)).keyId).toBe(after.keyId)
  const keys = await two.listKeys()
  expect(keys.map(({ keyId, isCurrent }) => [keyId, isCurrent])).toEqual([
    [after.keyId, true],
    [before.keyId, false],
  ])
  const events = await database.sql`select resource_id from svc.audit_events where action = 'audit.signing_key.rotate'`
  expect(events.map((event) => event.resource_id)).toEqual([after.keyId])

  const list = join(folder, 'keys.json')
  writeFileSync(list, JSON.stringify({ keys: keys.map(({ publicKey }) => ({ public_key: publicKey })) }))
  const verify = (file: string, ...given: string[]) =>
    spawnSync(process.execPath, [verifier, file, ...given.flatMap((key) => ['--key', key])]).status
  const [newKey = '', oldKey = ''] = keys.map(({ publicKey }) => publicKey)
  for (const { file } of [before, after]) {
    expect(verify(file, list)).toBe(0)
    expect(verify(file, oldKey, newKey)).toBe(0)
  }
  expect(verify(before.file, newKey)).toBe(1)
  expect(verify(after.file, oldKey)).toBe(1)
})
