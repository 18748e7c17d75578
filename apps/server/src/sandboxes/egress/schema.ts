import { bigint, customType, integer, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../../kernel/database/svc-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export const egressRules = svc.table('egress_rules', {
  projectId: uuid('project_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  allow: text('allow').array().notNull(),
  updatedBy: text('updated_by'),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const egressAuthorities = svc.table('egress_authorities', {
  projectId: uuid('project_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  certificate: text('certificate').notNull(),
  sealedKey: bytea('sealed_key').notNull(),
  expiresAt: instant('expires_at').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
})

export const egressLog = svc.table('egress_log', {
  entryId: bigint('entry_id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  projectId: uuid('project_id').notNull(),
  sandboxId: uuid('sandbox_id').notNull(),
  host: text('host').notNull(),
  port: integer('port').notNull(),
  outcome: text('outcome').notNull(),
  connections: integer('connections').notNull(),
  bytesIn: bigint('bytes_in', { mode: 'number' }).notNull(),
  bytesOut: bigint('bytes_out', { mode: 'number' }).notNull(),
  startedAt: instant('started_at').notNull(),
  endedAt: instant('ended_at').notNull(),
})
