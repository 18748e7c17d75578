import { z } from 'zod'
import { connectDatabase, parseConnectionString } from '../../database/index.ts'
import { createLogger } from '../../log/index.ts'
import { startJobs } from '../index.ts'
import { createTestJobs } from './test-jobs.ts'

/** One server's worth of workers in a process of its own. It drains on SIGTERM, as a server does. */
const { url, reapIntervalMs, drainTimeoutMs } = z
  .object({ url: z.string(), reapIntervalMs: z.coerce.number(), drainTimeoutMs: z.coerce.number().default(10_000) })
  .parse(process.env)
const { sql, disconnect } = connectDatabase(parseConnectionString(url), { maxConnections: 6 })
const jobs = await startJobs({
  sql,
  connectionString: url,
  log: createLogger({ level: 'debug' }),
  jobs: createTestJobs(sql, (message) => process.send?.(message)),
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
