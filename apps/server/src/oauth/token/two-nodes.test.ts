import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { createOwner, registerApp, sendForm, userinfo } from '../testing/third-party-app.ts'

let first: Awaited<ReturnType<typeof startTestPlatform>>
let second: Awaited<ReturnType<typeof startTestPlatform>>
let folder: string
beforeAll(async () => {
  first = await startTestPlatform()
  folder = await mkdtemp(join(tmpdir(), 'svc-test-'))
  await copyFile(join(first.dataDir, 'master-key'), join(folder, 'master-key'))
  second = await startTestPlatform({ SVC_DATA_DIR: folder, DATABASE_URL: first.database.connectionString })
})
afterAll(async () => {
  await second.stop()
  await first.stop()
  await rm(folder, { recursive: true, force: true })
})

test('a token revoked on one node is refused by the other within a second, though that one just used it', async () => {
  const owner = await createOwner(first)
  const app = await registerApp(first.url, owner)
  for (let round = 0; round < 3; round++) {
    const { access_token: token } = await app.obtainTokens(owner.person)
    expect((await userinfo(second.url, token)).status).toBe(200)
    await app.revoke(token)
    await sleep(1_000)
    expect((await userinfo(second.url, token)).status).toBe(401)
  }
})

test('a refresh rotates once, whichever nodes are asked', async () => {
  const owner = await createOwner(first)
  const app = await registerApp(first.url, owner)
  const { refresh_token: token } = await app.obtainTokens(owner.person)
  const form = { grant_type: 'refresh_token', ...app.credentials, refresh_token: token }
  const urls = [first.url, second.url, first.url, second.url]
  const answers = await Promise.all(urls.map((url) => sendForm(url, '/v1/oauth/token', form)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(new Set(answers.map(({ body }) => `${body.access_token} ${body.refresh_token}`)).size).toBe(1)
})
