import type { Sql } from 'postgres'
import { z } from 'zod'
import type { Envelope } from '../crypto/index.ts'
import { cleanEventPayloads } from '../events/index.ts'
import { cleanIdempotencyKeys } from '../idempotency/index.ts'
import type { Logger } from '../log/index.ts'
import { cleanRateLimits } from '../rate-limit/index.ts'
import { defineJob, type RunnableJob } from './define-job.ts'
import { cleanScheduleSlots, defineSchedule, type Schedule } from './schedule/index.ts'

/** What the kernel does for itself: throwing away what has expired, and wrapping data keys with the newest master key. */
export function createMaintenance({ sql, envelope }: { sql: Sql; envelope: Envelope }): {
  jobs: RunnableJob[]
  schedules: Schedule[]
} {
  const cleaning = defineJob({
    name: 'kernel.clean',
    payload: z.object({}),
    maxAttempts: 3,
    async run(_, { log }) {
      report(log, 'event payloads', await cleanEventPayloads(sql))
      report(log, 'idempotency keys', await cleanIdempotencyKeys(sql))
      report(log, 'rate limit windows', await cleanRateLimits(sql))
      report(log, 'schedule slots', await cleanScheduleSlots(sql))
    },
  })
  const rewrapping = defineJob({
    name: 'kernel.rewrap-data-keys',
    payload: z.object({}),
    maxAttempts: 3,
    async run(_, { log }) {
      const { rewrapped } = await envelope.rewrapDataKeys()
      if (rewrapped > 0) log.info('data keys were wrapped with the current master key', { rewrapped })
    },
  })
  return {
    jobs: [cleaning, rewrapping],
    schedules: [
      defineSchedule({ name: 'kernel.clean', cron: '*/10 * * * *', job: cleaning, payload: {} }),
      defineSchedule({ name: 'kernel.rewrap-data-keys', cron: '17 * * * *', job: rewrapping, payload: {} }),
    ],
  }
}

function report(log: Logger, what: string, { deleted }: { deleted: number }): void {
  if (deleted > 0) log.debug(`expired ${what} were deleted`, { deleted })
}
