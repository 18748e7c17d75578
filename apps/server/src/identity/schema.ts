import { boolean, integer, jsonb, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'
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

/** What the operator decides for the whole instance: one row. */
export const instanceSettings = svc.table('instance_settings', {
  singleton: boolean('singleton').primaryKey().default(true),
  signUp: text('sign_up', { enum: ['open', 'invitation', 'closed'] })
    .notNull()
    .default('invitation'),
  emailConfirmation: text('email_confirmation', { enum: ['auto', 'on', 'off'] })
    .notNull()
    .default('auto'),
  redirectAllowList: text('redirect_allow_list').array().notNull().default([]),
  entitlements: text('entitlements').array().notNull().default(['rbac', 'auditAccess', 'branding']),
  accountCreation: text('account_creation', { enum: ['everyone', 'operators'] })
    .notNull()
    .default('everyone'),
  firstRunNonce: uuid('first_run_nonce').notNull().defaultRandom(),
  ownerUserId: uuid('owner_user_id'),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

/** One row per sign-in; also the family its refresh tokens belong to. */
export const signInSessions = svc.table('sign_in_sessions', {
  sessionId: uuid('session_id').primaryKey(),
  userId: uuid('user_id').notNull(),
  method: text('method').notNull(),
  ip: text('ip'),
  userAgent: text('user_agent'),
  createdAt: instant('created_at').notNull().defaultNow(),
  endedAt: instant('ended_at'),
  endReason: text('end_reason'),
})

export const signInTokens = svc.table('sign_in_tokens', {
  tokenHash: text('token_hash').primaryKey(),
  sessionId: uuid('session_id').notNull(),
  kind: text('kind', { enum: ['access', 'page'] }).notNull(),
  expiresAt: instant('expires_at').notNull(),
})

export const refreshTokens = svc.table('refresh_tokens', {
  tokenHash: text('token_hash').primaryKey(),
  sessionId: uuid('session_id').notNull(),
  accessExpiresAt: instant('access_expires_at').notNull(),
  expiresAt: instant('expires_at').notNull(),
  spentAt: instant('spent_at'),
  successorNonce: text('successor_nonce'),
})

export const oneTimeCodes = svc.table('one_time_codes', {
  codeId: uuid('code_id').primaryKey(),
  email: text('email').notNull(),
  purpose: text('purpose', { enum: ['magiclink', 'recovery', 'signup'] }).notNull(),
  codeHash: text('code_hash').notNull(),
  linkHash: text('link_hash').notNull(),
  isDecoy: boolean('is_decoy').notNull().default(false),
  redirectTo: text('redirect_to'),
  passwordHash: text('password_hash'),
  userMetadata: jsonb('user_metadata').$type<Record<string, unknown>>().notNull().default({}),
  wrongTries: integer('wrong_tries').notNull().default(0),
  expiresAt: instant('expires_at').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
})

export const identities = svc.table(
  'identities',
  {
    provider: text('provider').notNull(),
    subject: text('subject').notNull(),
    userId: uuid('user_id').notNull(),
    email: text('email'),
    createdAt: instant('created_at').notNull().defaultNow(),
    lastSignInAt: instant('last_sign_in_at'),
  },
  (table) => [primaryKey({ columns: [table.provider, table.subject] })],
)

export const socialSignIns = svc.table('social_sign_ins', {
  stateHash: text('state_hash').primaryKey(),
  provider: text('provider').notNull(),
  redirectTo: text('redirect_to').notNull(),
  codeChallenge: text('code_challenge').notNull(),
  codeHash: text('code_hash'),
  userId: uuid('user_id'),
  expiresAt: instant('expires_at').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
})
