import { z } from 'zod'
import { createEnvelope, loadMasterKeys } from '../../crypto/index.ts'
import { connectDatabase, parseConnectionString } from '../../database/index.ts'
import { createLogger } from '../../log/index.ts'
import { createMaintenance, startJobs } from '../index.ts'
import { createTestJobs } from './test-jobs.ts'

/** One server's worth of workers in a process of its own. It drains on SIGTERM, as a server does. */
const { url, reapIntervalMs, drainTimeoutMs, withMaintenance } = z
  .object({
    url: z.string(),
    reapIntervalMs: z.coerce.number(),
    drainTimeoutMs: z.coerce.number().default(10_000),
    withMaintenance: z.string().optional(),
  })
  .parse(process.env)
const { sql, disconnect } = connectDatabase(parseConnectionString(url), { maxConnections: 6 })
const masterKeys = await loadMasterKeys({ dataDir: '.', environmentValue: Buffer.alloc(32, 7).toString('base64') })
const maintenance = createMaintenance({ sql, envelope: createEnvelope({ sql, masterKeys }) })
const everySecond = maintenance.schedules.map((schedule) => ({ ...schedule, cron: '* * * * * *' }))
const jobs = await startJobs({
  sql,
  connectionString: url,
  log: createLogger({ level: 'debug' }),
  jobs: [...createTestJobs(sql, (message) => process.send?.(message)), ...maintenance.jobs],
  schedules: withMaintenance ? everySecond : [],
  concurrency: 4,
  pollIntervalMs: 500,
  reapIntervalMs,
  drainTimeoutMs,
})
process.send?.({ ready: true, poolId: jobs.poolId() })
process.on('SIGTERM', async () => {
  await jobs.stop()
  await disconnect()
  process.disconnect()
})
