import { z } from 'zod'
import type { Capability } from '../../kernel/capability.ts'
import { defineJob, defineSchedule } from '../../kernel/jobs/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { egressRoutes } from './routes.ts'
import { cleanLog } from './store.ts'

const logDays = 30
const logRowsPerProject = 100_000
const cleanBatch = 10_000

/** What people see of the proxy: the rules, the log, and that the log does not grow for ever. */
export function egressSettings(kernel: Kernel): Capability {
  const cleaning = defineJob({
    name: 'egress.clean-log',
    payload: z.object({}),
    maxAttempts: 3,
    async run() {
      const before = new Date(kernel.clock.nowMs() - logDays * 24 * 60 * 60_000)
      const bounds = { before, rowsPerProject: logRowsPerProject, batch: cleanBatch }
      while ((await cleanLog(kernel.database.sql, bounds)) >= cleanBatch);
    },
  })
  return {
    routes: egressRoutes(kernel),
    jobs: [cleaning],
    schedules: [defineSchedule({ name: 'egress.clean-log', cron: '41 * * * *', job: cleaning, payload: {} })],
  }
}
