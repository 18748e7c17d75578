import { z } from 'zod'
import type { Capability } from '../kernel/capability.ts'
import type { Tx } from '../kernel/database/index.ts'
import { problem } from '../kernel/http/index.ts'
import { newId } from '../kernel/ids/index.ts'
import { defineJob, defineSchedule } from '../kernel/jobs/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { deliverBySmtp } from './deliver-by-smtp.ts'
import { openMail, sealMail } from './seal-mail.ts'
import { addMail, cleanMails, deleteMail, findMail, keepMail, listMails } from './store.ts'

export interface Message {
  readonly to: string
  readonly subject: string
  /** Plain text, short. It may hold links and codes: it never reaches a log or the audit. */
  readonly text: string
  /** Costs what any other mail costs and is sent to nobody. */
  readonly isDecoy?: boolean
}

export interface KeptMail {
  readonly mailId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly createdAt: Date
}

export interface Mail extends Capability {
  /** True when a mail server is set, so that mail reaches people. */
  readonly canLeave: boolean
  /** Leaves when the transaction is committed, with retries; or stays in the local mailbox. */
  send(tx: Tx, message: Message): Promise<void>
  /** Counts one mail that strangers can cause against its address; throws 429 past the limit. */
  limitByAddress(address: string): Promise<void>
  /** The local mailbox, newest first. */
  listKept(): Promise<KeptMail[]>
}

const KEPT_MS = 24 * 3_600_000
const perAddress = { name: 'mail.address', limit: 10, windowMs: 3_600_000 }

export function createMail(kernel: Kernel): Mail {
  const { config, database, envelope } = kernel
  const canLeave = config.smtpUrl !== undefined
  const limit = kernel.rateLimits.rateLimit(perAddress)

  const sending = defineJob({
    name: 'mail.send',
    payload: z.object({ mail_id: z.string() }),
    async run({ mail_id: mailId }) {
      const row = await findMail(database.db, mailId)
      if (!row) return
      if (row.isDecoy) return deleteMail(database.db, mailId)
      if (!canLeave) return keepMail(database.db, mailId)
      await deliverBySmtp(config, mailId, row.toAddress, await openMail(envelope, row))
      await deleteMail(database.db, mailId)
    },
  })
  const cleaning = defineJob({
    name: 'mail.clean',
    payload: z.object({}),
    maxAttempts: 3,
    run: () => cleanMails(database.db, new Date(kernel.clock.nowMs() - KEPT_MS)),
  })

  return {
    routes: [],
    jobs: [sending, cleaning],
    schedules: [defineSchedule({ name: 'mail.clean', cron: '7 * * * *', job: cleaning, payload: {} })],
    canLeave,
    async send(tx, { to, subject, text, isDecoy = false }) {
      const mailId = newId()
      const sealed = await sealMail(envelope, mailId, { subject, text })
      await addMail(tx.db, { mailId, toAddress: to, sealed, isDecoy })
      await tx.enqueue(sending, { mail_id: mailId })
    },
    async limitByAddress(address) {
      const take = await limit.take(address)
      if (take.allowed) return
      throw problem('over_email_send_rate_limit', { headers: { 'retry-after': String(take.retryAfterSeconds) } })
    },
    async listKept() {
      const rows = await listMails(database.db, 100)
      return Promise.all(
        rows.map(async (row) => ({
          mailId: row.mailId,
          to: row.toAddress,
          createdAt: row.createdAt,
          ...(await openMail(envelope, row)),
        })),
      )
    },
  }
}
