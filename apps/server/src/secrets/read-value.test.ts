import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemActor } from '../kernel/actor.ts'
import { readConfig } from '../kernel/config.ts'
import type { Database } from '../kernel/database/index.ts'
import { createTestDatabase } from '../kernel/database/testing.ts'
import { newId } from '../kernel/ids/index.ts'
import { startKernel } from '../kernel/kernel.ts'
import { createLogger, createMemoryWriter } from '../kernel/log/index.ts'
import { createRepositories } from '../repositories/index.ts'
import type { Parts } from './parts.ts'
import { readSecretValue, readSecretValues } from './read-value.ts'
import { placeOfPersonal } from './seal-value.ts'
import { findSecret, putPersonal } from './store.ts'
import { writeSecret } from './write-secret.ts'

const [accountId, projectId, userId] = [newId(), newId(), newId()]
const stops: (() => void | Promise<void>)[] = []
let database: Database
let dataDir: string
let parts: Parts

beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'svc-secrets-'))
  const { sql } = database
  await sql`insert into svc.users (user_id, email) values (${userId}, 'owner@example.com')`
  await sql`insert into svc.accounts (account_id, name) values (${accountId}, 'Account')`
  await sql`insert into svc.projects (project_id, account_id, name) values (${projectId}, ${accountId}, 'Project')`
  const config = readConfig({ SVC_DATA_DIR: dataDir, DATABASE_URL: database.connectionString })
  const onStop = (stop: () => void | Promise<void>) => void stops.push(stop)
  const kernel = await startKernel({ config, log: createLogger({ writer: createMemoryWriter() }), onStop })
  const repositories = createRepositories(kernel, { onStop, accountRole: async () => undefined })
  const features = { isFeatureEnabled: async () => true, requireFeature: async () => undefined }
  parts = { kernel, repositories, features }
})
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
})

function write(identifier: string, name: string, value: string) {
  return parts.kernel.database.transact(systemActor, async (tx) => {
    const change = { accountId, projectId, identifier, name, value, asked: {} }
    return writeSecret(parts, tx, change, await findSecret(tx.db, projectId, identifier))
  })
}

test('a service reads what was written, with somebody’s own value in its place while it is active', async () => {
  await write('token', 'TOKEN', 'shared')
  expect(await readSecretValue(parts, { projectId, identifier: 'absent' })).toBeUndefined()
  expect(await readSecretValue(parts, { projectId, identifier: 'token' })).toMatchObject({
    value: 'shared',
    source: 'shared',
    strategy: 'runtime',
  })
  const mine = { personalSecretId: newId(), accountId, projectId, userId, name: 'TOKEN' }
  const sealedValue = await parts.kernel.envelope.seal(placeOfPersonal(mine), 'mine')
  await putPersonal(parts.kernel.database.db, { ...mine, sealedValue, active: true })
  const asOwner = { projectId, identifier: 'token', forUserId: userId }
  expect(await readSecretValue(parts, asOwner)).toMatchObject({ value: 'mine', source: 'mine' })
  await putPersonal(parts.kernel.database.db, { ...mine, sealedValue, active: false })
  expect(await readSecretValue(parts, asOwner)).toMatchObject({ value: 'shared' })
})

test('secrets for one variable come newest first', async () => {
  await write('first', 'MODEL_KEY', 'old')
  await write('second', 'MODEL_KEY', 'new')
  const values = await readSecretValues(parts, projectId, 'MODEL_KEY')
  expect(values.map(({ identifier, value }) => [identifier, value])).toEqual([
    ['second', 'new'],
    ['first', 'old'],
  ])
})

test('while the account’s key and the value are rotated, no reader ever fails or sees anything else', async () => {
  await write('busy', 'BUSY', 'value 0')
  let isOver = false
  const seen: string[] = []
  const reading = (async () => {
    while (!isOver) seen.push((await readSecretValue(parts, { projectId, identifier: 'busy' }))?.value ?? 'nothing')
  })()
  for (let round = 1; round <= 10; round++) {
    await parts.kernel.envelope.rotateDataKey(accountId)
    await write('busy', 'BUSY', `value ${round}`)
  }
  isOver = true
  await reading
  const rounds = seen.map((value) => Number(/^value (\d+)$/.exec(value)?.[1]))
  expect(rounds).toEqual([...rounds].sort((a, b) => a - b))
  expect(await readSecretValue(parts, { projectId, identifier: 'busy' })).toMatchObject({ value: 'value 10' })
})

test('a sealed value that somebody copies to another secret opens for nobody', async () => {
  await write('thief', 'THIEF', 'x')
  const sealed = (await write('victim', 'VICTIM', 'the value')).sealedValue
  await database.sql`update svc.secrets set sealed_value = ${sealed} where identifier = 'thief'`
  await expect(readSecretValue(parts, { projectId, identifier: 'thief' })).rejects.toThrow(/was refused/)
})
