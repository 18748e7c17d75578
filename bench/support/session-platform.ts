import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectDatabase } from '../../apps/server/src/kernel/database/connect-database.ts'
import { throwawaySettings } from '../../apps/server/src/kernel/database/embedded/settings.ts'
import { startPostgres } from '../../apps/server/src/kernel/database/embedded/start-postgres.ts'
import { migrate } from '../../apps/server/src/kernel/database/migrations/migrate.ts'
import { readMigrations } from '../../apps/server/src/kernel/database/migrations/read-migrations.ts'
import { createPerson } from '../../tests/support/people.ts'

/** The built platform as a process of its own, with one project whose sessions are timed from outside. */
export async function startSessionPlatform(env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-sessions-'))
  const dataDirectory = join(folder, 'postgres')
  mkdirSync(dataDirectory)
  const postgres = await startPostgres({ dataDirectory, settings: throwawaySettings, durable: false })
  const database = connectDatabase(postgres.connection)
  await migrate(database.connection, await readMigrations(join(process.cwd(), 'apps', 'server', 'migrations')))
  const dataDir = join(folder, 'data')
  const url = `http://127.0.0.1:${await freePort()}`
  const server = spawn(process.execPath, ['scripts/start.mjs'], {
    env: {
      ...process.env,
      PORT: new URL(url).port,
      SVC_DATA_DIR: dataDir,
      DATABASE_URL: database.connectionString,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(server, 'exit')
  while (!(await answers(url))) {
    if (server.exitCode !== null) throw new Error(`the platform ended with ${server.exitCode}`)
    await sleep(50)
  }
  const owner = await createPerson({ database, dataDir })

  const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${url}/v1${path}`, { method, headers: owner.headers, ...sent })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return text === '' ? {} : JSON.parse(text)
  }
  const project = await send('POST', '/projects/provision', { name: 'Bench' })
  const sessions = `/projects/${project.project_id}/sessions`

  return {
    async untilWarm(count: number): Promise<void> {
      const list = () => database.sql`select 1 from svc.sandboxes where project_id is null and status = 'active'`
      while ((await list()).length < count) await sleep(50)
    },
    /** From the request that makes a session to the answer that says it is ready, in milliseconds. */
    async timeSession(): Promise<number> {
      const startedAt = performance.now()
      const { session_id: id } = await send('POST', sessions, {})
      for (;;) {
        const { stage } = await send('POST', `${sessions}/${id}/start?wait_ms=8000`)
        if (stage === 'ready') break
        if (stage === 'failed') throw new Error('a session did not start')
      }
      const tookMs = performance.now() - startedAt
      await send('DELETE', `${sessions}/${id}`)
      return tookMs
    },
    async stop(): Promise<void> {
      server.kill('SIGTERM')
      await ended
      await database.disconnect()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/v1/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
