import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../kernel/config.ts'
import { createTestDatabase } from '../../kernel/database/testing.ts'
import { newId } from '../../kernel/ids/index.ts'
import { type Kernel, startKernel } from '../../kernel/kernel.ts'
import { createLogger, createMemoryWriter } from '../../kernel/log/index.ts'
import type { Running, SessionScope } from '../lifecycle/running.ts'
import { createLogTails } from '../log/log-tails.ts'
import type { Machine, Parts } from '../parts.ts'
import { addSession, type SessionRow } from '../store/sessions.ts'
import { FakeRuntime } from './fake-runtime.ts'

/** A kernel on a test database, and sessions that run in memory. Parts that a test does not reach are missing. */
export async function startSessionRig() {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-sessions-'))
  const stops: (() => void | Promise<void>)[] = []
  const config = readConfig({ SVC_DATA_DIR: dataDir, DATABASE_URL: database.connectionString })
  const log = createLogger({ writer: createMemoryWriter() })
  const kernel: Kernel = await startKernel({ config, log, onStop: (stop) => void stops.push(stop) })
  const accountId = newId()
  const projectId = newId()
  const { sql } = kernel.database
  await sql`insert into svc.accounts (account_id, name) values (${accountId}, 'Rig')`
  await sql`insert into svc.projects (project_id, account_id, name) values (${projectId}, ${accountId}, 'Rig')`
  const delivered: string[] = []
  const reached = {
    kernel,
    nodeId: newId(),
    tails: createLogTails(kernel),
    live: { deliver: (sessionId: string) => void delivered.push(sessionId), isStopping: () => false },
  }

  return {
    kernel,
    accountId,
    projectId,
    // Only what the functions under test reach is there.
    parts: reached as unknown as Parts,
    async addRunning(): Promise<Running & { readonly fake: FakeRuntime }> {
      const fake = new FakeRuntime()
      const row = await addRow(kernel, { accountId, projectId })
      const prepareTurn = async (agentName: string) => void fake.preparedFor.push(agentName)
      return {
        row,
        machine: noMachine,
        runtime: fake,
        fake,
        send: nowhere,
        conversationId: 'ses_fake',
        scope,
        admitted: new Set(),
        prepareTurn,
        admitTurn: () => Promise.reject(new Error('nothing goes past the queue here')),
      }
    },
    async stop() {
      for (const stop of stops.reverse()) await stop()
      await database.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export type SessionRig = Awaited<ReturnType<typeof startSessionRig>>

async function addRow(kernel: Kernel, place: { accountId: string; projectId: string }): Promise<SessionRow> {
  const sessionId = newId()
  const row = await addSession(kernel.database.db, {
    ...place,
    sessionId,
    branchName: sessionId,
    baseRef: 'main',
    sandboxProvider: 'local',
    agentName: 'svc',
    runtime: 'opencode',
    status: 'running',
    origin: 'user',
    conversationId: 'ses_fake',
  })
  if (!row) throw new Error('the session was not written')
  return row
}

const scope: SessionScope = {
  agent: 'svc',
  grant: { agent: 'svc', connectors: [], svc_cli: [], env: [] },
  personalOf: undefined,
  values: new Map(),
  revision: '',
}

const nowhere = () => Promise.reject(new Error('a runtime in memory is reached directly'))

const noMachine: Machine = {
  sandboxId: '',
  externalId: '',
  provider: 'local',
  status: 'active',
  statusDetail: null,
  config: {},
  metadata: {},
  lastUsedAt: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
}
