import { boolean, jsonb, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'
import type { AgentGrant } from '../kernel/principal.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })

export const users = svc.table('users', {
  userId: uuid('user_id').primaryKey(),
  email: text('email').notNull(),
  emailConfirmedAt: instant('email_confirmed_at'),
  passwordHash: text('password_hash'),
  appMetadata: jsonb('app_metadata').$type<Record<string, unknown>>().notNull().default({}),
  userMetadata: jsonb('user_metadata').$type<Record<string, unknown>>().notNull().default({}),
  isOperator: boolean('is_operator').notNull().default(false),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
  lastSignInAt: instant('last_sign_in_at'),
})

export const tokens = svc.table('tokens', {
  tokenId: uuid('token_id').primaryKey(),
  kind: text('kind', { enum: ['pat', 'project', 'session', 'gateway'] }).notNull(),
  accountId: uuid('account_id').notNull(),
  userId: uuid('user_id'),
  serviceAccountId: uuid('service_account_id'),
  projectId: uuid('project_id'),
  sessionId: uuid('session_id'),
  agentGrant: jsonb('agent_grant').$type<AgentGrant>(),
  isAutomation: boolean('is_automation').notNull().default(false),
  name: text('name').notNull(),
  publicKey: text('public_key').notNull(),
  secretHash: text('secret_hash').notNull(),
  status: text('status', { enum: ['active', 'revoked'] })
    .notNull()
    .default('active'),
  expiresAt: instant('expires_at'),
  lastUsedAt: instant('last_used_at'),
  createdAt: instant('created_at').notNull().defaultNow(),
  revokedAt: instant('revoked_at'),
})
