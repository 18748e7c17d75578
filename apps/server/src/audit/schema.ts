import { sql } from 'drizzle-orm'
import { bigint, boolean, customType, integer, pgSchema, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'

const svc = pgSchema('svc')
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const instant = (name: string) => timestamp(name, { withTimezone: true })

/** Events that wait for their place in the chain; the database fills it with every event it stores. */
export const auditUnsealed = svc.table(
  'audit_unsealed',
  {
    accountId: uuid('account_id').notNull(),
    occurredAt: timestamp('occurred_at', { withTimezone: true, precision: 3 }).notNull(),
    eventId: uuid('event_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.occurredAt, table.eventId] })],
)

/** Append-only, like the events: one number after the other per account, each hash over the one before it. */
export const auditSeals = svc.table(
  'audit_seals',
  {
    accountId: uuid('account_id').notNull(),
    sequence: bigint('sequence', { mode: 'number' }).notNull(),
    eventId: uuid('event_id').notNull().unique(),
    previousHash: text('previous_hash').notNull(),
    hash: text('hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.sequence] })],
)

export const auditSigningKeys = svc.table('audit_signing_keys', {
  keyId: uuid('key_id').primaryKey(),
  publicKey: text('public_key').notNull(),
  sealedPrivateKey: bytea('sealed_private_key').notNull(),
  isCurrent: boolean('is_current').notNull().default(true),
  createdAt: instant('created_at').notNull().default(sql`now()`),
})

export const auditWebhooks = svc.table('audit_webhooks', {
  webhookId: uuid('webhook_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  name: text('name').notNull(),
  url: text('url').notNull(),
  enabled: boolean('enabled').notNull().default(true),
  actionPrefix: text('action_prefix'),
  sealedSecret: bytea('sealed_secret').notNull(),
  sealedPreviousSecret: bytea('sealed_previous_secret'),
  previousSecretUntil: instant('previous_secret_until'),
  slowUntil: instant('slow_until'),
  slowLevel: integer('slow_level').notNull().default(0),
  lastDeliveredAt: instant('last_delivered_at'),
  lastErrorAt: instant('last_error_at'),
  lastError: text('last_error'),
  createdAt: instant('created_at').notNull().default(sql`now()`),
  updatedAt: instant('updated_at').notNull().default(sql`now()`),
})

export const auditDeliveries = svc.table('audit_deliveries', {
  deliveryId: uuid('delivery_id').primaryKey(),
  webhookId: uuid('webhook_id').notNull(),
  eventId: uuid('event_id').notNull(),
  state: text('state').notNull().default('pending'),
  attempts: integer('attempts').notNull().default(0),
  nextAttemptAt: instant('next_attempt_at'),
  lastStatus: integer('last_status'),
  lastError: text('last_error'),
  createdAt: instant('created_at').notNull().default(sql`now()`),
  finishedAt: instant('finished_at'),
})
