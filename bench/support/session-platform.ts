import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../apps/server/src/kernel/config.ts'
import { connectDatabase } from '../../apps/server/src/kernel/database/connect-database.ts'
import { throwawaySettings } from '../../apps/server/src/kernel/database/embedded/settings.ts'
import { startPostgres } from '../../apps/server/src/kernel/database/embedded/start-postgres.ts'
import { migrate } from '../../apps/server/src/kernel/database/migrations/migrate.ts'
import { readMigrations } from '../../apps/server/src/kernel/database/migrations/read-migrations.ts'
import { createLogger, createMemoryWriter } from '../../apps/server/src/kernel/log/index.ts'
import { startPlatform } from '../../apps/server/src/platform.ts'
import { createPerson } from '../../tests/support/people.ts'

export interface SessionTimes {
  /** From the request that makes the session to the answer that says it is ready. */
  readonly readyMs: number
  /** From the same request to the first words of the answer to its first prompt. */
  readonly firstTokenMs: number
}

/** A whole platform with one project, whose sessions are timed from outside. */
export async function startSessionPlatform(env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-sessions-'))
  const dataDirectory = join(folder, 'postgres')
  mkdirSync(dataDirectory)
  const postgres = await startPostgres({
    dataDirectory,
    settings: throwawaySettings,
    durable: false,
  })
  const database = connectDatabase(postgres.connection)
  await migrate(database.connection, await readMigrations(join(process.cwd(), 'apps', 'server', 'migrations')))
  const dataDir = join(folder, 'data')
  const settings = { PORT: '0', SVC_DATA_DIR: dataDir, DATABASE_URL: database.connectionString }
  const log = createLogger({ writer: createMemoryWriter() })
  const platform = await startPlatform(readConfig({ ...settings, ...env }), log)
  const owner = await createPerson({ database, dataDir })

  const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${platform.url}/v1${path}`, { method, headers: owner.headers, ...sent })
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
    async timeSession(): Promise<SessionTimes> {
      const id = randomUUID()
      const text = 'Hello\n```script\nsay hello\nfinish bye\n```'
      const startedAt = performance.now()
      await send('POST', sessions, { session_id: id, pending_prompt: { text } })
      const firstToken = watchFirstToken(`${platform.url}/v1${sessions}/${id}/events`, owner.headers.authorization)
      for (;;) {
        const { stage } = await send('POST', `${sessions}/${id}/start?wait_ms=8000`)
        if (stage === 'ready') break
        if (stage === 'failed') throw new Error('a session did not start')
      }
      const readyMs = performance.now() - startedAt
      const firstTokenMs = (await firstToken) - startedAt
      await send('DELETE', `${sessions}/${id}`)
      return { readyMs, firstTokenMs }
    },
    async stop(): Promise<void> {
      await platform.stop()
      await database.disconnect()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function watchFirstToken(url: string, authorization: string): Promise<number> {
  const gone = new AbortController()
  const response = await fetch(url, { headers: { authorization }, signal: gone.signal })
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8')
    if (!text.includes('message.part.delta')) continue
    gone.abort()
    return performance.now()
  }
  throw new Error('the session ended without a word')
}
