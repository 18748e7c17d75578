import { jsonb, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })

export const githubInstallations = svc.table('github_installations', {
  installationRowId: uuid('installation_row_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  installationId: text('installation_id').notNull(),
  ownerLogin: text('owner_login').notNull(),
  ownerType: text('owner_type').notNull(),
  repositorySelection: text('repository_selection').notNull(),
  permissions: jsonb('permissions').$type<Record<string, string>>().notNull().default({}),
  installationUrl: text('installation_url').notNull(),
  savedBy: uuid('saved_by').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const githubUsedStates = svc.table('github_used_states', {
  nonce: text('nonce').primaryKey(),
  expiresAt: instant('expires_at').notNull(),
})
