import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { createClient, unlimited } from '../testing/client.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
beforeAll(async () => {
  platform = await startTestPlatform(unlimited)
})
afterAll(() => platform.stop())

const password = 'seven green kettles'
const linkIn = async (dataDir: string) => new URL((await readFile(join(dataDir, 'first-run-link'), 'utf8')).trim())

/** Another start on the same database and key, as after a crash or on another node. */
async function startAgain(dataDir?: string) {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-again-')))
  if (dataDir === undefined) await copyFile(join(platform.dataDir, 'master-key'), join(folder, 'master-key'))
  const again = await startTestPlatform({
    ...unlimited,
    DATABASE_URL: platform.database.connectionString,
    SVC_DATA_DIR: folder,
  })
  return { ...again, folder }
}

describe('the first-run link', () => {
  test('survives starts, and every node shows the same one until it is used on any', async () => {
    const token = (await linkIn(platform.dataDir)).searchParams.get('token')
    const other = await startAgain()
    expect((await linkIn(other.folder)).searchParams.get('token')).toBe(token)
    // A draft that a crash left half-written is put right by the next start.
    await writeFile(join(other.folder, 'first-run-link'), 'http://half')
    await other.stop()
    const third = await startAgain(other.folder)
    expect((await linkIn(other.folder)).searchParams.get('token')).toBe(token)

    const claimed = await createClient(third).post('/v1/auth/first-run', {
      token,
      email: 'owner@example.com',
      password,
    })
    expect(claimed.status).toBe(200)
    await expect(stat(join(other.folder, 'first-run-link'))).rejects.toThrow('ENOENT')
    const late = await createClient(platform).post('/v1/auth/first-run', { token, email: 'late@example.com', password })
    expect([late.status, late.body.error]).toEqual([403, 'first_run_link_invalid'])
    await third.stop()
    await rm(other.folder, { recursive: true, force: true })
  }, 120_000)

  test('a claim that fails halfway leaves the link as it was', async () => {
    const other = await startTestPlatform(unlimited)
    const token = (await linkIn(other.dataDir)).searchParams.get('token')
    const client = createClient(other)
    await other.database.sql.unsafe(`
      create function svc.fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger fail before insert on svc.sign_in_sessions for each row execute function svc.fail()`)
    const claim = () => client.post('/v1/auth/first-run', { token, email: 'owner@example.com', password })
    expect((await claim()).status).toBe(500)
    expect(await other.database.sql`select from svc.users`).toHaveLength(0)
    await other.database.sql`drop trigger fail on svc.sign_in_sessions`
    expect((await claim()).status).toBe(200)
    await other.stop()
  }, 120_000)
})

describe('who may sign up', () => {
  test.each([
    ['closed', 422],
    ['invitation', 422],
    ['open', 200],
  ])('%s: an address without an invitation gets %i', async (mode, expected) => {
    const client = createClient(platform)
    await client.settings({ sign_up: mode, email_confirmation: 'off' })
    const answer = await client.post(
      '/v1/auth/signup',
      { email: `${mode}@example.com`, password },
      undefined,
      client.newIp(),
    )
    expect(answer.status).toBe(expected)
    if (expected === 422) expect(answer.body.error).toBe('signup_disabled')
  })
})
