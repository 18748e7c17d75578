import type { operations } from '@svc/contract'
import { z } from 'zod'
import type { Call } from '../../kernel/http/index.ts'
import { defineJob, defineSchedule } from '../../kernel/jobs/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Parts } from '../parts.ts'
import { changeProjectModels, lockProjectModels, readProjectModels } from '../store.ts'
import { deleteExpired, shortenPrompts } from './store.ts'

export async function readRetention({ kernel }: Parts, projectId: string) {
  const row = await readProjectModels(kernel.database.db, projectId)
  return { prompt_days: row?.promptDays ?? null }
}

export async function setRetention(parts: Parts, call: Call<typeof operations.modelUsage.setRetention>) {
  const { projectId } = call
  const { prompt_days } = call.body
  await parts.kernel.database.transact(call.actor, async (tx) => {
    await lockProjectModels(tx.db, projectId)
    await changeProjectModels(tx.db, projectId, { promptDays: prompt_days })
    await shortenPrompts(tx.db, projectId, prompt_days)
    await tx.audit({
      action: 'gateway.retention_set',
      resourceType: 'project',
      resourceId: projectId,
      metadata: { prompt_days },
    })
  })
  parts.snapshots.forget(projectId)
  return { prompt_days }
}

const deletedAtOnce = 1_000

/** Deletes what has reached its end, within an hour of it; nobody can read it from that moment on. */
export function promptCleaning({ database, clock }: Kernel) {
  const job = defineJob({
    name: 'models.clean-prompts',
    payload: z.object({}),
    maxAttempts: 3,
    async run(_, { signal }) {
      let deleted = deletedAtOnce
      while (deleted === deletedAtOnce && !signal.aborted) {
        deleted = await deleteExpired(database.sql, clock.now(), deletedAtOnce)
      }
    },
  })
  return { job, schedule: defineSchedule({ name: 'models.clean-prompts', cron: '11 * * * *', job, payload: {} }) }
}
