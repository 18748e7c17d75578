import { cpSync, existsSync } from 'node:fs'
import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { packageName } from '../../apps/server/src/kernel/database/embedded/binaries.ts'
import { chooseSocketDirectory, socketFile } from '../../apps/server/src/kernel/database/embedded/layout.ts'
import { signal } from '../../apps/server/src/kernel/database/embedded/leftovers.ts'
import {
  buildFaultServer,
  databaseProcesses,
  FaultServer,
  makePlace,
  makeTemplate,
  type RunOptions,
  removeOldBuilds,
  waitForNoDatabase,
} from './database-runner.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const isRoot = process.getuid?.() === 0
const nobody = 65_534
const native = fileURLToPath(new URL(`../../node_modules/${packageName()}/native`, import.meta.url))

let script: string
let template: Awaited<ReturnType<typeof makeTemplate>>
let place: Awaited<ReturnType<typeof makePlace>>
beforeAll(async () => {
  await removeOldBuilds()
  script = await buildFaultServer()
  template = await makeTemplate(script)
}, 120_000)
afterAll(() => template.remove())
beforeEach(async () => {
  place = await makePlace()
})
afterEach(() => place.remove())

const start = (options?: RunOptions, path = place.path) => new FaultServer(script, path, options)

describe('two servers and one data directory', () => {
  test('the second is refused with the pid of the first, which does not notice', async () => {
    template.copyTo(place.path)
    const first = start({ writers: 2 })
    await first.hear('acknowledged')
    const lock = await readdir(join(place.path, 'lock'))
    const second = start()
    expect(await second.exited).toBe(1)
    expect(second.errors).toContain(`Another server (process ${first.child.pid}) is already using the data directory`)
    expect(await readdir(join(place.path, 'lock'))).toEqual(lock)
    await first.hear('acknowledged', first.acknowledged().length + 20)
    expect(await first.kill('SIGTERM')).toBe(0)
    expect(first.said('refused')).toEqual([])
  })

  test('of several that start at once on a new directory exactly one serves', async () => {
    const servers = Array.from({ length: 4 }, () => start())
    const outcomes = await Promise.all(
      servers.map((server) =>
        Promise.race([
          server.hear('ready').then(
            () => 'ready',
            () => 'refused',
          ),
          server.exited,
        ]),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'ready')).toHaveLength(1)
    const winner = servers[outcomes.indexOf('ready')]
    expect(await winner?.kill('SIGTERM')).toBe(0)
  })
})

describe('a stop', () => {
  test('Ctrl-C to the whole process group drains first: no write is refused, PostgreSQL goes last', async () => {
    template.copyTo(place.path)
    const server = start({ writers: 4 })
    await server.hear('acknowledged', 10)
    process.kill(-(server.child.pid ?? 0), 'SIGINT')
    expect(await server.exited).toBe(0)
    expect([server.said('refused'), server.said('drained')]).toEqual([[], [{ is: 'drained' }]])
    expect(await databaseProcesses(place.path)).toEqual([])
    const next = start()
    const { rows } = await next.hear('ready')
    expect(server.acknowledged().filter((id) => !rows.includes(id))).toEqual([])
    await next.kill('SIGTERM')
  })
})

describe('what a dead server left behind', () => {
  test('a garbled, foreign, torn or empty postmaster.pid and dead socket files do not stop the next start', async () => {
    template.copyTo(place.path)
    const first = start({ writers: 1 })
    await first.hear('acknowledged')
    await first.kill('SIGTERM')
    const socket = socketFile(join(place.path, 'postgres', 'socket'))
    const foreign = `${process.pid}\n/elsewhere\n1700000000\n5432\n\n\n\nready   \n`
    for (const content of ['not a pid\n\0\0\xff', foreign, '12', '', '-1\n']) {
      await writeFile(join(place.path, 'postgres', 'data', 'postmaster.pid'), content)
      await writeFile(socket, '')
      await writeFile(`${socket}.lock`, content)
      const next = start()
      const { rows } = await next.hear('ready')
      expect(
        first.acknowledged().filter((id) => !rows.includes(id)),
        content,
      ).toEqual([])
      expect(await next.kill('SIGTERM')).toBe(0)
    }
  })

  test('a PostgreSQL that hangs and outlives its server is ended, and its committed rows are there', async () => {
    template.copyTo(place.path)
    const first = start({ writers: 2 })
    const { postgres } = await first.hear('ready')
    await first.hear('acknowledged', 5)
    process.kill(postgres, 'SIGSTOP')
    await first.kill()
    expect(await databaseProcesses(place.path)).toContain(postgres)

    const next = start({ env: { SVC_FAULT_STOP_MS: '300' } })
    const ready = await next.hear('ready')
    expect(first.acknowledged().filter((id) => !ready.rows.includes(id))).toEqual([])
    expect(await databaseProcesses(place.path)).not.toContain(postgres)
    signal(postgres, 'SIGCONT')
    expect(await next.kill('SIGTERM')).toBe(0)
    await waitForNoDatabase(place.path)
  })

  test('a half-made database is thrown away and made again', async () => {
    await mkdir(join(place.path, 'postgres', 'data.draft-dead'), { recursive: true })
    await writeFile(join(place.path, 'postgres', 'data.draft-dead', 'PG_VERSION'), '18\n')
    const server = start()
    await server.hear('ready')
    expect(await readdir(join(place.path, 'postgres'))).not.toContain('data.draft-dead')
    await server.kill('SIGTERM')
  })
})

describe('a start that cannot succeed says why and harms nothing', () => {
  test('an unwritable data directory', async () => {
    await mkdir(place.path)
    await chmod(place.path, 0o555)
    const server = start(isRoot ? { uid: nobody } : {})
    expect(await server.exited).toBe(1)
    expect(server.errors).toMatch(/data directory .* cannot be used: EACCES[\s\S]*write access/)
    expect(await readdir(place.path)).toEqual([])
  })

  test('a missing PostgreSQL program', async () => {
    const server = start({ env: { SVC_FAULT_NATIVE: join(place.path, 'nowhere') } })
    expect(await server.exited).toBe(1)
    expect(server.errors).toMatch(/is missing or not executable\.\n.*npm install.*DATABASE_URL/)
    const after = start()
    await after.hear('ready')
    await after.kill('SIGTERM')
  })

  test('a database of another major version', async () => {
    await mkdir(join(place.path, 'postgres', 'data'), { recursive: true })
    await writeFile(join(place.path, 'postgres', 'data', 'PG_VERSION'), '17\n')
    const server = start()
    expect(await server.exited).toBe(1)
    expect(server.errors).toContain('was made by PostgreSQL 17; this server brings 18')
    expect(await readdir(join(place.path, 'postgres', 'data'))).toEqual(['PG_VERSION'])
  })

  test('a database newer than the code', async () => {
    template.copyTo(place.path)
    const first = start({ writers: 1 })
    await first.hear('acknowledged')
    await first.kill('SIGTERM')
    const newer = start({ env: { SVC_FAULT_SQL: `insert into svc.schema_migrations values (9999, 'future', 'x')` } })
    await newer.hear('ready')
    await newer.kill('SIGTERM')

    const older = start()
    expect(await older.exited).toBe(1)
    expect(older.errors).toContain('The database is newer than the code: it is at version 9999')
    expect(await databaseProcesses(place.path)).toEqual([])
  })
})

describe('places that are hard to reach', () => {
  test('a path too long for a socket gets its socket in a short folder', async () => {
    const long = join(place.path, 'd'.repeat(60), 'e'.repeat(60))
    await mkdir(dirname(long), { recursive: true })
    template.copyTo(long)
    const server = start({ writers: 1 }, long)
    await server.hear('acknowledged')
    const short = chooseSocketDirectory(join(long, 'postgres'), long)
    expect(existsSync(socketFile(short))).toBe(true)
    expect((await stat(short)).mode & 0o777).toBe(0o700)
    expect(await server.kill('SIGTERM')).toBe(0)
    await waitForNoDatabase(long)
    expect(existsSync(short)).toBe(false)
  })

  test.runIf(isRoot)('data and programs below folders that only root may enter', async () => {
    const closed = join(place.path, 'closed')
    await mkdir(closed, { recursive: true, mode: 0o700 })
    cpSync(native, join(closed, 'package', 'native'), { recursive: true, verbatimSymlinks: true })
    const path = join(closed, 'data')
    template.copyTo(path)
    const server = start({ writers: 1, env: { SVC_FAULT_NATIVE: join(closed, 'package', 'native') } }, path)
    const { postgres } = await server.hear('ready')
    await server.hear('acknowledged')
    expect(await readFile(`/proc/${postgres}/status`, 'utf8')).toContain(`Uid:\t${nobody}`)
    expect((await stat(closed)).mode & 0o777).toBe(0o700)
    expect(await server.kill('SIGTERM')).toBe(0)
    await waitForNoDatabase(path)
  })

  test.runIf(isRoot)(
    'without setpriv and namespaces it still runs unprivileged, and still dies with its server',
    async () => {
      template.copyTo(place.path)
      const server = start({ writers: 1, env: { PATH: '/nowhere' } })
      const { postgres } = await server.hear('ready')
      await server.hear('acknowledged')
      expect(await readFile(`/proc/${postgres}/status`, 'utf8')).toMatch(/Uid:\t65534[\s\S]*Groups:\s*\n/)
      expect((await stat(place.path)).mode & 0o777).toBe(0o711)
      await server.kill()
      await waitForNoDatabase(place.path)
      const next = start()
      const { rows } = await next.hear('ready')
      expect(server.acknowledged().filter((id) => !rows.includes(id))).toEqual([])
      expect(await next.kill('SIGTERM')).toBe(0)
    },
  )

  test.runIf(isRoot)('an ordinary user runs it as himself, and root can take the database over later', async () => {
    await mkdir(place.path)
    await chown(place.path, nobody, nobody)
    const server = start({ writers: 1, uid: nobody })
    await server.hear('acknowledged')
    expect(await server.kill('SIGTERM')).toBe(0)
    const root = start()
    const { rows } = await root.hear('ready')
    expect(server.acknowledged().filter((id) => !rows.includes(id))).toEqual([])
    expect(await root.kill('SIGTERM')).toBe(0)
  })
})
