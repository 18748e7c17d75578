import { boolean, customType, jsonb, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'
import type { EgressPolicy } from './delivery/delivery.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export const secrets = svc.table('secrets', {
  secretId: uuid('secret_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  projectId: uuid('project_id').notNull(),
  identifier: text('identifier').notNull(),
  name: text('name').notNull(),
  sealedValue: bytea('sealed_value').notNull(),
  strategy: text('strategy', { enum: ['runtime', 'egress', 'broker', 'denied'] }).notNull(),
  consumer: text('consumer', { enum: ['sandbox', 'network', 'broker', 'llm_gateway', 'connector', 'git_proxy'] }),
  egressPolicy: jsonb('egress_policy').$type<EgressPolicy>(),
  handlePrefix: text('handle_prefix'),
  strategyLocked: boolean('strategy_locked').notNull().default(false),
  requiresRotation: boolean('requires_rotation').notNull().default(false),
  createdBy: uuid('created_by'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
  lastRotatedAt: instant('last_rotated_at'),
})

export const personalSecrets = svc.table('personal_secrets', {
  personalSecretId: uuid('personal_secret_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  projectId: uuid('project_id').notNull(),
  userId: uuid('user_id').notNull(),
  name: text('name').notNull(),
  sealedValue: bytea('sealed_value').notNull(),
  active: boolean('active').notNull().default(true),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})
