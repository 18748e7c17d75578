import { z } from 'zod'
import type { Capability } from '../kernel/capability.ts'
import type { Finished } from '../kernel/http/index.ts'
import { defineJob, defineSchedule } from '../kernel/jobs/index.ts'
import { repeat } from '../kernel/jobs/repeat.ts'
import type { Kernel, OnStop } from '../kernel/kernel.ts'
import { createCheckpointSigner } from './export/sign-checkpoint.ts'
import type { LogQuery } from './log/filters.ts'
import { type ForwardPage, readForward } from './log/read-forward.ts'
import { readLog } from './log/read-log.ts'
import type { AuditParts } from './parts.ts'
import { createRequestRecorder } from './requests/record-requests.ts'
import { auditRoutes } from './routes.ts'
import { createSealer } from './seal/sealer.ts'
import { createWebhooks } from './webhooks/index.ts'

export { type EventRecord, instanceChainId } from './event-record.ts'

export interface AuditOptions {
  /** Whether the account's plan includes the audit log; deliveries of one that does not become dead letters. */
  readonly isEntitled: (accountId: string) => Promise<boolean>
  readonly onStop: OnStop
}

export interface Audit extends Capability {
  /** For the pass: one event per authenticated request, stored a moment later. */
  recordRequest(finished: Finished): void
  /** A page of an account's log, for views of it: the filters and cursors of `audit.log`. */
  readLog(accountId: string, query: LogQuery): ReturnType<typeof readLog>
  /** The same oldest first, after a place in the chain (a session's audit). */
  readForward(accountId: string, query: LogQuery, page: ForwardPage): ReturnType<typeof readForward>
}

const sealEveryMs = 500

/** What happened: the log and its chain, exports, webhooks. Writing an event is `tx.audit`. */
export function createAudit(kernel: Kernel, { isEntitled, onStop }: AuditOptions): Audit {
  const { database, clock, log } = kernel
  const requests = createRequestRecorder(kernel)
  const sealer = createSealer(database)
  const parts: AuditParts = { kernel, requests, sealer, signer: createCheckpointSigner(kernel) }
  const webhooks = createWebhooks({ kernel, sealer, isEntitled })

  const rotating = defineJob({
    name: 'audit.rotate-signing-key',
    payload: z.object({}),
    maxAttempts: 3,
    async run() {
      await parts.signer.rotateOldKey()
    },
  })

  const sealing = repeat({ name: 'the sealing of audit events', everyMs: sealEveryMs, log, clock }, async () => {
    await sealer.sealWaiting()
  })
  onStop(async () => {
    await sealing.stop()
    await requests.stop()
    await sealer.sealWaiting()
  })

  return {
    routes: auditRoutes(parts, webhooks.changes),
    jobs: [...webhooks.jobs, rotating],
    schedules: [
      ...webhooks.schedules,
      defineSchedule({ name: 'audit.rotate-signing-key', cron: '17 4 * * *', job: rotating, payload: {} }),
    ],
    recordRequest: requests.record,
    readLog: (accountId, query) => readLog(parts, accountId, query),
    readForward: (accountId, query, page) => readForward(parts, accountId, query, page),
  }
}
