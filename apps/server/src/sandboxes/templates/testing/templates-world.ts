import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addAccount, addProject, addUser } from '../../../access/testing/test-access.ts'
import { commitFiles, createRepository, readBranch } from '../../../git/index.ts'
import { readConfig } from '../../../kernel/config.ts'
import { createTestDatabase } from '../../../kernel/database/testing.ts'
import type { Gate } from '../../../kernel/http/index.ts'
import { serveForTest } from '../../../kernel/http/testing.ts'
import { newId } from '../../../kernel/ids/index.ts'
import { type Jobs, startJobs } from '../../../kernel/jobs/index.ts'
import { startKernel } from '../../../kernel/kernel.ts'
import { createLogger, createMemoryWriter } from '../../../kernel/log/index.ts'
import { anonymousPrincipal } from '../../../kernel/principal.ts'
import { addRepository, createRepositories } from '../../../repositories/index.ts'
import { egressSettings } from '../../egress/index.ts'
import type { SandboxProvider } from '../../provider.ts'
import { createTemplates, type TemplatesOptions } from '../index.ts'

const author = { name: 'Ada', email: 'ada@example.com' }

/** The capability with its jobs on a database of its own, over HTTP, as a manager of every project sees it. */
export async function startTemplatesWorld(
  providers: readonly SandboxProvider[],
  options: Pick<TemplatesOptions, 'startSession'> = {},
) {
  const database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'svc-templates-'))
  const stops: (() => void | Promise<void>)[] = []
  const onStop = (stop: () => void | Promise<void>) => void stops.push(stop)
  const config = readConfig({ SVC_DATA_DIR: folder, DATABASE_URL: database.connectionString })
  const log = createLogger({ writer: createMemoryWriter() })
  const kernel = await startKernel({ config, log, onStop })
  const repositories = createRepositories(kernel, { onStop, accountRole: async () => 'owner' })
  const offered = [...providers]
  const templates = createTemplates(kernel, {
    providers: () => offered,
    repositories,
    describeProject: async (projectId) => describe(projectId, accountId, await selectedOf(projectId)),
    ...options,
  })
  const selectedOf = async (projectId: string) =>
    (await templates.selectedProviders([projectId])).get(projectId) ?? null
  const accountId = await addAccount(database)
  const userId = await addUser(database)
  const gate: Gate = {
    authenticate: async () => ({
      ...anonymousPrincipal({ type: 'human', userId, accountId }),
      kind: 'user',
      id: userId,
      authType: 'session',
    }),
    authorize: async (_, principal, { params }) => ({ principal, accountId, projectId: params.projectId }),
    refusal: async () => undefined,
  }
  const http = await serveForTest([...templates.routes, ...egressSettings(kernel).routes], { gate })
  let jobs: Jobs | undefined
  const runJobs = async () => {
    jobs = await startJobs({
      sql: kernel.database.sql,
      connectionString: kernel.database.connectionString,
      log,
      jobs: templates.jobs ?? [],
      pollIntervalMs: 100,
      reapIntervalMs: 200,
      drainTimeoutMs: 2_000,
    })
  }
  await runJobs()

  async function makeProject(files: Record<string, string> = {}): Promise<string> {
    const projectId = await addProject(database, accountId)
    await addRepository(kernel.database.db, {
      projectId,
      connectionId: newId(),
      accountId,
      kind: 'managed',
      provider: 'managed',
    })
    const changes = Object.entries({ 'README.md': 'A project', ...files }).map(([path, content]) => ({ path, content }))
    await createRepository(repositories.pathOf(projectId), {
      initialCommit: { files: changes, message: 'Begin', author },
    })
    return projectId
  }

  return {
    kernel,
    database,
    accountId,
    templates,
    providers: offered,
    makeProject,
    runJobs,
    stopJobs: async () => jobs?.stop(),
    /** Brings forward what waits for its next try; how many that were. */
    async hurryJobs() {
      const { sql } = kernel.database
      return (await sql`update graphile_worker._private_jobs set run_at = now() where run_at > now()`).count
    },
    async commit(projectId: string, files: Record<string, string>) {
      const { git } = await repositories.findRepository(projectId)
      const changes = Object.entries(files).map(([path, content]) => ({ path, content }))
      const expectedParent = await readBranch(git, 'main')
      return (await commitFiles(git, { branch: 'main', expectedParent, changes, message: 'Change', author })).commit
    },
    async call(method: string, path: string, body?: unknown) {
      const response = await fetch(`${http.url}/v1/projects/${path}`, {
        method,
        headers: { authorization: 'Bearer x', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
    },
    async stop() {
      await jobs?.stop()
      await http.stop()
      for (const stop of stops.reverse()) await stop()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function describe(projectId: string, accountId: string, provider: string | null) {
  const now = new Date().toISOString()
  return {
    project_id: projectId,
    account_id: accountId,
    name: 'A project',
    repo_url: 'http://localhost/x.git',
    git_origin_url: 'http://localhost/x.git',
    default_branch: 'main',
    manifest_path: 'svc.yaml',
    status: 'active' as const,
    metadata: {},
    last_opened_at: null,
    created_at: now,
    updated_at: now,
    project_role: null,
    effective_project_role: null,
    dashboard_url: 'http://localhost',
    experimental: {},
    experimental_features: [],
    default_sandbox_provider: provider,
    available_sandbox_providers: [],
  }
}
