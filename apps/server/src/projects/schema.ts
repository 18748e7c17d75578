import { jsonb, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })

export const projects = svc.table('projects', {
  projectId: uuid('project_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  name: text('name').notNull(),
  status: text('status', { enum: ['provisioning', 'active', 'archived'] })
    .notNull()
    .default('active'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
  metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
  featureOverrides: jsonb('feature_overrides').$type<Record<string, boolean>>().notNull().default({}),
  createdBy: text('created_by'),
  lastOpenedAt: instant('last_opened_at'),
})

export const provisionAttempts = svc.table('provision_attempts', {
  attemptId: uuid('attempt_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  idempotencyKey: text('idempotency_key'),
  projectId: uuid('project_id').notNull(),
  home: text('home').notNull(),
  status: text('status', { enum: ['running', 'finished'] })
    .notNull()
    .default('running'),
  leasedUntil: instant('leased_until').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
})
