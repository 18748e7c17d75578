import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlatform } from '../../../../tests/support/platform.ts'
import { createCaller } from '../accounts/testing/client.ts'
import { startPostgres } from '../kernel/database/embedded/start-postgres.ts'
import { connectionString, parseConnectionString } from '../kernel/database/index.ts'
import { createEmptyTestDatabase } from '../kernel/database/testing.ts'
import { startProjectWorld } from '../projects/testing/project-world.ts'
import { withDatabase } from './reach-database.ts'
import { replaceDataDirectory } from './replace-data-directory.ts'
import { checkBackup } from './restore-backup.ts'
import { countRows, openSession } from './store.ts'
import { writeBackup } from './write-backup.ts'

const run = promisify(execFile)
const generousMs = 90_000

let world: Awaited<ReturnType<typeof startProjectWorld>>
let folder: string
let file: string
let summary: Awaited<ReturnType<typeof writeBackup>>
let project: { project_id: string; account_id: string }

/** One backup, taken while secrets are written and branches pushed. */
beforeAll(async () => {
  world = await startProjectWorld()
  folder = await mkdtemp(join(tmpdir(), 'svc-backup-'))
  file = join(folder, 'instance.tar.gz')
  project = await world.provision()
  for (let more = 0; more < 4; more++) await world.provision()
  const load = startLoad()
  summary = await writeBackup({
    connection: parseConnectionString(world.platform.database.connectionString),
    dataDir: world.platform.dataDir,
    file,
  })
  await load.stop()
}, generousMs)
afterAll(async () => {
  await world?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

function startLoad() {
  let isOver = false
  const call = createCaller(world.platform.url)
  const write = async () => {
    for (let round = 0; !isOver; round++) {
      const body = { name: `LOAD_${round % 20}`, value: `value ${round}\n\t\\N` }
      await call(world.owner, `POST /v1/projects/${project.project_id}/secrets`, body)
    }
  }
  const provision = async () => {
    while (!isOver) await world.provision({ name: 'Under load' })
  }
  const running = [write(), provision()]
  return {
    async stop() {
      isOver = true
      await Promise.all(running)
    },
  }
}

test('is readable by its owner alone, by any tar program, and complete', async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const { stdout } = await run('tar', ['-tzf', file])
  const names = stdout.trim().split('\n')
  expect([names[0], names.at(-1)]).toEqual(['header.json', 'summary.json'])
  expect(names).toContain('files/master-key')
  expect(summary.repositories.map(({ id }) => id)).toContain(project.project_id)
  expect(summary.rows['svc.users']).toBe(1)
})

test('one that is cut off is refused before anything is touched', async () => {
  const cut = join(folder, 'cut.tar.gz')
  await writeFile(cut, await readFile(file))
  await truncate(cut, Math.floor((await stat(file)).size / 2))
  await expect(checkBackup(cut)).rejects.toThrow(/cannot be read/)
  await expect(checkBackup(join(folder, 'absent'))).rejects.toThrow(/cannot be read/)
  const target = join(folder, 'untouched')
  const options = { file: cut, dataDir: target, databaseUrl: undefined, replace: false }
  await expect(replaceDataDirectory(options)).rejects.toThrow()
  await expect(stat(target)).rejects.toThrow(/ENOENT/)
})

test(
  'restored elsewhere it is the same instance: counts, keys, sound repositories, an audit chain that verifies',
  async () => {
    const dataDir = join(folder, 'restored')
    const options = { file, dataDir, databaseUrl: undefined, replace: false }
    expect((await replaceDataDirectory(options)).summary).toEqual(summary)
    await withDatabase({ dataDir, databaseUrl: undefined }, async (connection) => {
      const sql = await openSession(connection)
      for (const [table, rows] of Object.entries(summary.rows)) {
        expect([table, await countRows(sql, table)]).toEqual([table, rows])
      }
      await sql.end()
    })
    for (const { id } of summary.repositories) {
      await run('git', [`--git-dir=${join(dataDir, 'repositories', `${id}.git`)}`, 'fsck', '--full', '--strict'])
    }
    await expect(replaceDataDirectory(options)).rejects.toThrow(/is not empty/)
    await useRestored(dataDir)

    const again = await replaceDataDirectory({ ...options, replace: true })
    expect(again.before).toMatch(/^.*restored\.before-/)
    expect((await stat(join(again.before ?? '', 'master-key'))).isFile()).toBe(true)
  },
  generousMs,
)

test(
  'restored into a database of one’s own it counts the same; one that holds an instance is not replaced unasked',
  async () => {
    const { connection, drop } = await createEmptyTestDatabase()
    const databaseUrl = connectionString(connection)
    const options = { file, dataDir: join(folder, 'external'), databaseUrl, replace: false }
    try {
      expect((await replaceDataDirectory(options)).summary).toEqual(summary)
      expect(await readdir(options.dataDir)).not.toContain('postgres')
      const platform = await startTestPlatform({ SVC_DATA_DIR: options.dataDir, DATABASE_URL: databaseUrl })
      const call = createCaller(platform.url)
      const read = await call(world.owner, `GET /v1/projects/${project.project_id}/files`)
      await platform.stop()
      expect(read.body.length).toBeGreaterThan(0)

      const elsewhere = { ...options, dataDir: join(folder, 'external-2') }
      await expect(replaceDataDirectory(elsewhere)).rejects.toThrow(/holds an instance already/)
      expect((await replaceDataDirectory({ ...elsewhere, replace: true })).summary).toEqual(summary)
      const sql = await openSession(connection)
      for (const [table, rows] of Object.entries(summary.rows)) {
        expect([table, await countRows(sql, table)]).toEqual([table, rows])
      }
      await sql.end()
    } finally {
      await drop()
    }
  },
  generousMs,
)

/** Who was signed in still is; what was sealed can be written on; a running instance is backed up without a stop. */
async function useRestored(dataDir: string): Promise<void> {
  const postgres = await startPostgres({ dataDirectory: dataDir })
  const DATABASE_URL = connectionString(postgres.connection)
  const platform = await startTestPlatform({ SVC_DATA_DIR: dataDir, DATABASE_URL })
  try {
    const call = createCaller(platform.url)
    const at = `/v1/projects/${project.project_id}`
    expect((await call(world.owner, `GET ${at}`)).body.name).toBe('Test project')
    expect((await call(world.owner, `GET ${at}/secrets`)).status).toBe(200)
    expect((await call(world.owner, `POST ${at}/secrets`, { name: 'AFTER', value: 'x' })).status).toBe(200)
    expect((await call(world.owner, `GET ${at}/files`)).body.length).toBeGreaterThan(0)
    const exported = await call(world.owner, `GET /v1/accounts/${project.account_id}/audit/export?format=csv`)
    expect(exported.status).toBe(200)
    const lines = join(folder, 'audit.csv')
    await writeFile(lines, exported.body)
    const verifier = join(import.meta.dirname, '../../../../scripts/audit-verify.mjs')
    expect((await run(process.execPath, [verifier, lines])).stdout).toContain('none altered, missing or reordered')
    const second = join(folder, 'second.tar.gz')
    const taken = await withDatabase({ dataDir, databaseUrl: undefined }, (connection) =>
      writeBackup({ connection, dataDir, file: second }),
    )
    expect(taken.repositories).toEqual(summary.repositories)
  } finally {
    await platform.stop()
    await postgres.stop()
  }
}
