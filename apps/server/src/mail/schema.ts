import { boolean, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })

export const mails = svc.table('mails', {
  mailId: uuid('mail_id').primaryKey(),
  toAddress: text('to_address').notNull(),
  sealed: text('sealed').notNull(),
  isDecoy: boolean('is_decoy').notNull().default(false),
  status: text('status', { enum: ['queued', 'kept'] })
    .notNull()
    .default('queued'),
  createdAt: instant('created_at').notNull().defaultNow(),
})
