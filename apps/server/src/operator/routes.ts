import { operations } from '@svc/contract'
import { answer, type Handled, handle, readIdCursor } from '../kernel/http/index.ts'
import { countJobs, type JobCounts } from '../kernel/jobs/index.ts'
import { changeSettings, toSettings } from './change-settings.ts'
import { discardJob, listDead, retryJob } from './dead-jobs.ts'
import type { OperatorOptions } from './options.ts'
import { destroySandbox, listSandboxes } from './sandboxes.ts'
import { listUserRows } from './store.ts'

const defaultLimit = 100

export function operatorRoutes(options: OperatorOptions): Handled[] {
  const { operator } = operations
  const { kernel, mail, settings } = options
  const { database } = kernel
  return [
    handle(operator.health, async () => ({
      version: options.version,
      parts: await Promise.all(options.checks().map(async ({ name, read }) => ({ name, ...(await read()) }))),
      jobs: sumCounts(await countJobs(database.sql)),
    })),
    handle(operator.listJobs, async () => ({ jobs: await countJobs(database.sql) })),
    handle(operator.listDeadJobs, async ({ query: { cursor, limit = defaultLimit } }) => {
      const { jobs, next } = await listDead(database.sql, cursor, limit)
      return answer({ jobs }, next === undefined ? {} : { headers: { 'x-next-cursor': next } })
    }),
    handle(operator.retryJob, async ({ params, actor }) => {
      await retryJob(options, params.jobId, actor)
      return { retried: true as const }
    }),
    handle(operator.discardJob, async ({ params, actor }) => {
      await discardJob(options, params.jobId, actor)
      return { discarded: true as const }
    }),
    handle(operator.getSettings, async () => toSettings(await settings.read())),
    handle(operator.updateSettings, ({ body, actor }) => changeSettings(options, body, actor)),
    handle(operator.mailbox, async ({ actor }) => {
      // With a mail server, what is here is on its way to somebody and not the operator's to read.
      const mails = mail.canLeave ? [] : await mail.listKept()
      await database.transact(actor, (tx) =>
        tx.audit({ action: 'operator.mailbox.read', outcome: 'success', metadata: { mails: mails.length } }),
      )
      return {
        enabled: !mail.canLeave,
        mails: mails.map(({ mailId, to, subject, text, createdAt }) => ({
          mail_id: mailId,
          to,
          subject,
          text,
          created_at: createdAt.toISOString(),
        })),
      }
    }),
    handle(operator.listUsers, async ({ query: { cursor, limit = defaultLimit, q } }) => {
      const beforeId = readIdCursor(cursor)
      const rows = await listUserRows(database.sql, { contains: q, beforeId, limit: limit + 1 })
      const shown = rows.slice(0, limit)
      const next = rows.length > limit ? shown.at(-1)?.userId : undefined
      const users = shown.map((row) => ({
        user_id: row.userId,
        email: row.email,
        is_operator: row.isOperator,
        email_confirmed_at: row.emailConfirmedAt?.toISOString() ?? null,
        created_at: row.createdAt.toISOString(),
        last_sign_in_at: row.lastSignInAt?.toISOString() ?? null,
        account_count: row.accountCount,
      }))
      return answer({ users }, next === undefined ? {} : { headers: { 'x-next-cursor': next } })
    }),
    handle(operator.listSandboxes, async ({ query: { cursor, limit = defaultLimit } }) => {
      const { sandboxes, next } = await listSandboxes(options, cursor, limit)
      return answer({ sandboxes }, next === undefined ? {} : { headers: { 'x-next-cursor': next } })
    }),
    handle(operator.destroySandbox, async ({ params, actor }) => {
      await destroySandbox(options, params.sandboxId, actor)
      return { destroyed: true as const }
    }),
    handle(operator.connectStatus, () => ({ configured: false, provider: null })),
  ]
}

function sumCounts(counts: readonly JobCounts[]): Omit<JobCounts, 'name'> {
  const sum = { ready: 0, scheduled: 0, retrying: 0, running: 0, dead: 0 }
  for (const { ready, scheduled, retrying, running, dead } of counts) {
    sum.ready += ready
    sum.scheduled += scheduled
    sum.retrying += retrying
    sum.running += running
    sum.dead += dead
  }
  return sum
}
