import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../apps/server/src/kernel/config.ts'
import { createTestDatabase } from '../../apps/server/src/kernel/database/testing.ts'
import { createLogger, createMemoryWriter } from '../../apps/server/src/kernel/log/index.ts'
import { startPlatform } from '../../apps/server/src/platform.ts'

/** The whole platform on a free loopback port, with a database of its own on the test run's PostgreSQL. */
export async function startTestPlatform(env: Record<string, string> = {}) {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-'))
  const writer = createMemoryWriter()
  const config = readConfig({
    PORT: '0',
    SVC_DATA_DIR: dataDir,
    DATABASE_URL: database.connectionString,
    SVC_VALIDATE_RESPONSES: '1',
    // Nobody is there: no test leaves the machine.
    SVC_MODEL_CATALOG_URL: 'http://127.0.0.1:1/api.json',
    ...env,
  })
  const platform = await startPlatform(config, createLogger({ writer }))
  return {
    url: platform.url,
    database,
    dataDir,
    logLines: () => writer.lines,
    async stop() {
      await platform.stop()
      await database.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
