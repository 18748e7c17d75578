import { randomBytes } from 'node:crypto'
import { openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { operation } from '@svc/contract'
import { z } from 'zod'
import { createAccess } from '../apps/server/src/access/index.ts'
import { createIdentity } from '../apps/server/src/identity/index.ts'
import { systemClock } from '../apps/server/src/kernel/clock/index.ts'
import { readConfig } from '../apps/server/src/kernel/config.ts'
import { createEnvelope, loadMasterKeys, loadTokenHasher } from '../apps/server/src/kernel/crypto/index.ts'
import { throwawaySettings } from '../apps/server/src/kernel/database/embedded/settings.ts'
import { startPostgres } from '../apps/server/src/kernel/database/embedded/start-postgres.ts'
import { connectDatabase, connectionString, parseConnectionString } from '../apps/server/src/kernel/database/index.ts'
import { migrate } from '../apps/server/src/kernel/database/migrations/migrate.ts'
import { readMigrations } from '../apps/server/src/kernel/database/migrations/read-migrations.ts'
import { startEvents } from '../apps/server/src/kernel/events/index.ts'
import { closedGate, type Gate, type Handled, handle } from '../apps/server/src/kernel/http/index.ts'
import {
  createApp,
  createClientIpReader,
  createDeadlines,
  createHostCheck,
  serveHttp,
} from '../apps/server/src/kernel/http/server.ts'
import { newId } from '../apps/server/src/kernel/ids/index.ts'
import type { Kernel } from '../apps/server/src/kernel/kernel.ts'
import { createLineWriter, createLogger } from '../apps/server/src/kernel/log/index.ts'
import { createMetrics } from '../apps/server/src/kernel/metrics/index.ts'
import { createOutbound } from '../apps/server/src/kernel/outbound/index.ts'
import { anonymousPrincipal, type Principal } from '../apps/server/src/kernel/principal.ts'
import { createRateLimits } from '../apps/server/src/kernel/rate-limit/index.ts'
import { createMail } from '../apps/server/src/mail/index.ts'
import { measureRate } from './support/measure-rate.ts'
import { alternate, formatTable } from './support/rounds.ts'
import { serveSide, startSide } from './support/sides.ts'

/**
 * A decision in accounts with 10, 1,000 and 100,000 assignments, from memory and from the database: both flat, at most
 * twice the smallest. Then an authenticated read through identity, access and the whole pass beside the same handler
 * without a credential: at least 0.3 of its rate.
 */

const sizes = [10, 1_000, 100_000] as const
const servers = { bare: startBare, authenticated: startAuthenticated }
const projectId = '0190a1b2-0000-7000-8000-000000000001'
const path = `/v1/projects/${projectId}`
const base = { id: 'bench.read', summary: 'bench', audit: 'none', at: 'GET /v1/projects/:projectId' } as const
const returns = z.object({ project_id: z.string() })

if (process.env.SVC_BENCH_SIDE) await serveSide(servers)

export async function run(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const postgres = await startPostgres({ dataDirectory: directory, settings: throwawaySettings, durable: false })
  try {
    await migrate(postgres.connection, await readMigrations(join(process.cwd(), 'apps/server/migrations')))
    process.env.DATABASE_URL = connectionString(postgres.connection)
    // The sides share the database, so they need the key its token hashes are made with.
    process.env.SVC_MASTER_KEY = randomBytes(32).toString('base64')
    await measureDecisions()
    await measureReads()
  } finally {
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** The kernel on the benchmark's own database, without the parts that neither access nor identity uses. */
async function openKernel(): Promise<{ kernel: Kernel; stop(): Promise<void> }> {
  const config = readConfig({ ...process.env, SVC_DATA_DIR: tmpdir() })
  const log = createLogger({ writer: createLineWriter(openSync('/dev/null', 'w')) })
  const { disconnect, ...connected } = connectDatabase(parseConnectionString(config.databaseUrl ?? ''))
  const masterKeys = await loadMasterKeys({ dataDir: config.dataDir, environmentValue: config.masterKey })
  const events = await startEvents({ sql: connected.sql, log })
  connected.usePublisher(events.publisher)
  const outbound = createOutbound({ allowPrivate: [] })
  const kernel: Kernel = {
    config,
    log,
    clock: systemClock,
    database: {
      ...connected,
      phases: { lockMs: 0, initdbMs: 0, startMs: 0, connectMs: 0, migrateMs: 0 },
      state: () => 'external',
      postgresPid: () => undefined,
      close: disconnect,
    },
    events,
    rateLimits: createRateLimits({ sql: connected.sql }),
    envelope: createEnvelope({ sql: connected.sql, masterKeys, clock: systemClock }),
    tokenHasher: await loadTokenHasher(connected.sql, masterKeys),
    outbound,
    metrics: createMetrics(),
  }
  return {
    kernel,
    async stop() {
      await outbound.stop()
      await events.stop()
      await disconnect()
    },
  }
}

async function measureDecisions(): Promise<void> {
  const { kernel, stop } = await openKernel()
  const access = createAccess(kernel, { ensurePersonalAccount: async (userId) => userId })
  try {
    const places = []
    for (const size of sizes) places.push(await fillAccount(kernel, size))
    await kernel.database.sql`analyze svc.assignments`
    type Place = (typeof places)[number]
    const warm = ({ principal, projectId }: Place) =>
      timeEach(20_000, () => access.decide(principal, 'project.session.start', { projectId }))
    const cold = ({ principal, projectId, accountId }: Place) =>
      timeEach(300, async () => {
        await kernel.database.transact({ type: 'system' }, async (tx) => access.noteChange(tx, accountId))
        await access.decide(principal, 'project.session.start', { projectId })
      })
    const cached = await alternate(5, places, warm)
    const loaded = await alternate(5, places, cold)
    const row = (name: string, micros: readonly number[]) => {
      const growth = Math.max(...micros) / (micros[0] ?? 1)
      return [
        name,
        ...micros.map((value) => `${value.toFixed(1)} µs`),
        `${growth.toFixed(2)} ${growth <= 2 ? 'ok' : 'ABOVE'}`,
      ]
    }
    console.log('one decision, median of 5 alternated rounds; cold includes an empty transaction that drops the cache')
    console.log(
      formatTable(['assignments', ...sizes.map(String), 'growth (<= 2)'], [row('cached', cached), row('cold', loaded)]),
    )
  } finally {
    access.stop()
    await stop()
  }
}

async function timeEach(count: number, run: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now()
  for (let index = 0; index < count; index += 1) await run()
  return ((performance.now() - startedAtMs) * 1000) / count
}

/** One project member with one group role, among so many assignments of others in the same account and project. */
async function fillAccount({ database: { sql } }: Kernel, size: number, projectId = newId()) {
  const [accountId, userId, groupId] = [newId(), newId(), newId()]
  await sql`insert into svc.accounts (account_id, name) values (${accountId}, 'Bench')`
  await sql`insert into svc.projects (project_id, account_id, name) values (${projectId}, ${accountId}, 'Bench')`
  await sql`insert into svc.users (user_id, email) values (${userId}, ${`${userId}@example.com`})`
  await sql`insert into svc.groups (group_id, account_id, name) values (${groupId}, ${accountId}, 'Bench')`
  await sql`insert into svc.group_members (group_id, user_id) values (${groupId}, ${userId})`
  await sql`
    insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type, scope_id)
    values (${newId()}, ${accountId}, 'user', ${userId}, 'builtin:member', 'account', null),
      (${newId()}, ${accountId}, 'group', ${groupId}, 'builtin:user', 'project', ${projectId})`
  await sql`
    insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type, scope_id)
    select gen_random_uuid(), ${accountId}, 'pending', gen_random_uuid(), 'builtin:user', 'project', ${projectId}
    from generate_series(1, ${size}::int)`
  const nobody = anonymousPrincipal({ type: 'human', userId })
  const principal: Principal = { ...nobody, kind: 'user', id: userId, authType: 'session' }
  return { accountId, projectId, userId, principal }
}

async function measureReads(): Promise<void> {
  const sides = await Promise.all(Object.keys(servers).map((name) => startSide(fileURLToPath(import.meta.url), name)))
  const rates = await alternate(5, sides, (side) =>
    measureRate({ port: side.port, requests: 6_000, method: 'GET', path }),
  )
  const [bare = 1, authenticated = 0] = rates
  const ratio = authenticated / bare
  console.log('reads per second, median of 5 alternated rounds')
  console.log(
    formatTable(
      ['bare', 'authenticated and authorised', 'of bare (>= 0.3)'],
      [
        [
          `${Math.round(bare)}/s`,
          `${Math.round(authenticated)}/s`,
          `${ratio.toFixed(2)} ${ratio >= 0.3 ? 'ok' : 'BELOW'}`,
        ],
      ],
    ),
  )
  for (const side of sides) await side.stop()
}

function startBare(): Promise<number> {
  const read = operation({ ...base, needs: 'public', returns })
  return serve(
    handle(read, ({ params }) => ({ project_id: params.projectId })),
    closedGate,
  )
}

/** The load generator sends no headers, so the credential is put on every request as it arrives. */
async function startAuthenticated(): Promise<number> {
  const { kernel } = await openKernel()
  const onStop = () => undefined
  const access = createAccess(kernel, { ensurePersonalAccount: async (userId) => userId })
  const mail = createMail(kernel)
  const identity = createIdentity(kernel, {
    mail,
    publicUrl: () => '',
    hasPendingInvite: async () => false,
    endAppAccess: async () => undefined,
    onStop,
  })
  const { accountId, userId } = await fillAccount(kernel, 10, projectId)
  const { secret } = await kernel.database.transact({ type: 'system' }, (tx) =>
    identity.mintToken(tx, { kind: 'pat', accountId, userId, name: 'Bench' }),
  )
  const read = operation({ ...base, needs: 'project.read', returns })
  return serve(
    handle(read, ({ params }) => ({ project_id: params.projectId })),
    {
      ...access.gate,
      authenticate(request) {
        request.incoming.headers.authorization = `Bearer ${secret}`
        return identity.authenticate(request)
      },
    },
  )
}

async function serve(handled: Handled, gate: Gate): Promise<number> {
  const app = createApp([handled], {
    gate,
    deadlines: createDeadlines(),
    readClientIp: createClientIpReader([]),
    isKnownHost: createHostCheck([]),
    validateResponses: false,
    onFinished: () => undefined,
  })
  return (await serveHttp({ app, host: '127.0.0.1', port: 0 })).port
}
