import type { Actor } from '../kernel/actor.ts'
import type { Sql } from '../kernel/database/index.ts'
import { badCursor, problem } from '../kernel/http/index.ts'
import { discardDeadJob, listDeadJobs, retryDeadJob } from '../kernel/jobs/index.ts'
import { redactText } from '../kernel/log/index.ts'
import type { OperatorOptions } from './options.ts'
import { findJobName } from './store.ts'

const shownErrorCharacters = 500

export async function listDead(sql: Sql, cursor: string | undefined, limit: number) {
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw badCursor()
  const rows = await listDeadJobs(sql, { limit: limit + 1, ...(cursor === undefined ? {} : { beforeId: cursor }) })
  const shown = rows.slice(0, limit)
  return {
    next: rows.length > limit ? shown.at(-1)?.id : undefined,
    jobs: shown.map(({ id, name, attempts, lastError, createdAt, failedAt }) => ({
      job_id: id,
      name,
      attempts,
      last_error: lastError === null ? null : redactText(lastError).slice(0, shownErrorCharacters),
      created_at: createdAt.toISOString(),
      failed_at: failedAt.toISOString(),
    })),
  }
}

export async function retryJob({ kernel, jobs }: OperatorOptions, jobId: string, actor: Actor): Promise<void> {
  const name = await findJobName(kernel.database.sql, jobId)
  const maxAttempts = jobs().find((job) => job.name === name)?.maxAttempts
  if (name === undefined) throw noJob()
  if (maxAttempts === undefined) {
    throw problem('not_found', { say: `No part of this version runs jobs named ${name}.`, next: 'Discard the job.' })
  }
  await kernel.database.transact(actor, async (tx) => {
    await tx.audit({ ...describe('operator.job.retry', jobId), metadata: { name } })
    if (!(await retryDeadJob(tx, jobId, maxAttempts))) throw noJob()
  })
}

export async function discardJob({ kernel }: OperatorOptions, jobId: string, actor: Actor): Promise<void> {
  const name = await findJobName(kernel.database.sql, jobId)
  await kernel.database.transact(actor, async (tx) => {
    await tx.audit({ ...describe('operator.job.discard', jobId), metadata: { name: name ?? null } })
    if (!(await discardDeadJob(tx, jobId))) throw noJob()
  })
}

const describe = (action: string, jobId: string) => ({
  action,
  outcome: 'success',
  resourceType: 'job',
  resourceId: jobId,
})

const noJob = () => problem('not_found', { say: 'There is no such failed job.' })
