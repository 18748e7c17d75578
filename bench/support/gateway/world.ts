import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { throwawaySettings } from '../../../apps/server/src/kernel/database/embedded/settings.ts'
import { startPostgres } from '../../../apps/server/src/kernel/database/embedded/start-postgres.ts'
import {
  connectDatabase,
  connectionString,
  parseConnectionString,
} from '../../../apps/server/src/kernel/database/index.ts'
import { createPerson } from '../../../tests/support/people.ts'
import { type Side, startSide } from '../sides.ts'

export interface GatewayBench {
  side(name: string): Side
  /** Of a project with a budget that blocks. */
  readonly key: string
  readonly projectId: string
  /** As the owner of the project, below its routes. */
  call(method: string, path: string, body?: object): Promise<Record<string, unknown>>
}

/** A database, an upstream, the sides, and a project with a key and a budget; everything ends with `use`. */
export async function withGateway(
  file: string,
  names: readonly string[],
  use: (bench: GatewayBench) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const postgres = await startPostgres({ dataDirectory: directory, settings: throwawaySettings, durable: false })
  const sides: Side[] = []
  try {
    process.env.DATABASE_URL = connectionString(postgres.connection)
    process.env.SVC_BENCH_DATA = directory
    for (const name of names) {
      const side = await startSide(file, name)
      sides.push(side)
      if (name === 'upstream') process.env.SVC_BENCH_UPSTREAM = String(side.port)
    }
    const side = (name: string) => {
      const found = sides.find((known) => known.name === name)
      if (!found) throw new Error(`no side is called ${name}`)
      return found
    }
    await use({ side, ...(await openProject(side('gateway').port, directory)) })
  } finally {
    for (const side of sides) await side.stop()
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

async function openProject(port: number, dataDir: string) {
  const database = connectDatabase(parseConnectionString(process.env.DATABASE_URL ?? ''))
  try {
    const person = await createPerson({ database, dataDir: join(dataDir, 'data') })
    const ask = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
      const response = await fetch(`http://127.0.0.1:${port}/v1/projects/${path}`, {
        method,
        headers: person.headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const document: unknown = await response.json()
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(document)}`)
      return Object(document)
    }
    const projectId = String((await ask('POST', 'provision', { name: 'bench' })).project_id)
    const call = (method: string, path: string, body?: object) => ask(method, `${projectId}/${path}`, body)
    await call('PUT', 'gateway/budgets', { scope: 'project', limit_usd: 1_000_000 })
    const key = String((await call('POST', 'gateway/keys', { name: 'bench' })).secret_key)
    return { key, projectId, call }
  } finally {
    await database.disconnect()
  }
}
