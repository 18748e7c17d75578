import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { z } from 'zod'
import { defineJob, type JobContext, PermanentJobError } from '../define-job.ts'

const payload = z.object({ note: z.string() })

/** Jobs that write down each of their runs in the table `runs`. */
export function createTestJobs(sql: Sql, send: (message: unknown) => void) {
  const record = (job: string, note: string, { attempt }: JobContext) =>
    sql`insert into runs (job, note, attempt, pid) values (${job}, ${note}, ${attempt}, ${process.pid})`
  return [
    defineJob({ name: 'note', payload, run: async ({ note }, context) => void (await record('note', note, context)) }),
    defineJob({
      name: 'hold',
      payload,
      async run({ note }, context) {
        await record('hold', note, context)
        if (context.attempt > 1) return
        send({ holding: note, pid: process.pid })
        await sleep(3_600_000)
      },
    }),
    defineJob({
      name: 'slow',
      payload,
      async run({ note }, context) {
        send({ holding: note, pid: process.pid })
        await sleep(1_500)
        await record('slow', note, context)
      },
    }),
    defineJob({
      name: 'obedient',
      payload,
      async run({ note }, context) {
        send({ holding: note, pid: process.pid })
        await sleep(3_600_000, undefined, { signal: context.signal })
      },
    }),
    defineJob({
      name: 'flaky',
      payload,
      maxAttempts: 2,
      async run({ note }, context) {
        await record('flaky', note, context)
        const [broken] = await sql`select from broken`
        if (broken) throw new Error(`upstream refused password=${note}`)
      },
    }),
    defineJob({
      name: 'hopeless',
      payload,
      async run() {
        throw new PermanentJobError('it will never work')
      },
    }),
    defineJob({
      name: 'patient',
      payload,
      retryDelayMs: () => 3_600_000,
      async run() {
        throw new Error('not yet')
      },
    }),
  ]
}
