import { customType, integer, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const instant = (name: string) => timestamp(name, { withTimezone: true })

export const sandboxShares = svc.table('sandbox_shares', {
  shareId: uuid('share_id').primaryKey(),
  tokenHash: text('token_hash').notNull(),
  sealedToken: bytea('sealed_token').notNull(),
  accountId: uuid('account_id').notNull(),
  projectId: uuid('project_id').notNull(),
  sessionId: uuid('session_id').notNull(),
  externalId: text('external_id').notNull(),
  port: integer('port').notNull(),
  label: text('label'),
  createdBy: text('created_by').notNull(),
  expiresAt: instant('expires_at').notNull(),
  revokedAt: instant('revoked_at'),
  createdAt: instant('created_at').notNull().defaultNow(),
})

export const relayedPrompts = svc.table(
  'relayed_prompts',
  {
    sessionId: uuid('session_id').notNull(),
    promptHash: text('prompt_hash').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  ({ sessionId, promptHash }) => [primaryKey({ columns: [sessionId, promptHash] })],
)
