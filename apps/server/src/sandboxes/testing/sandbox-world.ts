import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addAccount, addProject } from '../../access/testing/test-access.ts'
import { readConfig } from '../../kernel/config.ts'
import { createTestDatabase } from '../../kernel/database/testing.ts'
import { newId } from '../../kernel/ids/index.ts'
import { startKernel } from '../../kernel/kernel.ts'
import { createLogger, createMemoryWriter } from '../../kernel/log/index.ts'
import { createEgress } from '../egress/index.ts'
import { createSandboxes, type SandboxesOptions } from '../index.ts'
import type { BootConfig } from '../provider.ts'

export const emptyBoot: Omit<BootConfig, 'serviceKey'> = {
  runtime: undefined,
  env: {},
  files: [],
  repository: undefined,
}
export const smallResources = { cpu: 1, memoryGb: 0.5, diskGb: 0.25 }

let servers = 0

/** The sandboxes capability with real machines, on a database and a folder of its own. */
export async function startSandboxWorld(env: Record<string, string> = {}, options: Partial<SandboxesOptions> = {}) {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-sandboxes-'))
  const accountId = await addAccount(database)
  const projectId = await addProject(database, accountId)

  async function startServer() {
    const stops: (() => void | Promise<void>)[] = []
    const onStop = (stop: () => void | Promise<void>) => void stops.push(stop)
    const kernel = await startKernel({
      config: readConfig({
        SVC_DATA_DIR: dataDir,
        DATABASE_URL: database.connectionString,
        // Apart from every other test that runs at the same time.
        SVC_SANDBOX_UID_BASE: String(3_000_000 + ((process.pid % 500) * 100 + (servers++ % 100)) * 10_000),
        ...env,
      }),
      log: createLogger({ writer: createMemoryWriter() }),
      onStop,
    })
    const egress = createEgress(kernel, { platformPort: () => 1 })
    onStop(() => egress.stop())
    const sandboxes = createSandboxes(kernel, { onStop, egress, ...options })
    await sandboxes.repair()
    return {
      kernel,
      sandboxes,
      async stop() {
        for (const stop of stops.splice(0).reverse()) await stop()
      },
    }
  }

  const server = await startServer()
  return {
    ...server,
    database,
    dataDir,
    projectId,
    accountId,
    /** Another server on the same data, once the first has stopped. */
    startServer,
    createMachine: (sandboxId = newId()) =>
      server.sandboxes.createMachine({ sandboxId, projectId, accountId, resources: smallResources }),
    async close() {
      await server.stop()
      await database.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
