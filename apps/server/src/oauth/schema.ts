import { boolean, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })

export const oauthClients = svc.table('oauth_clients', {
  clientId: uuid('client_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  name: text('name').notNull(),
  description: text('description'),
  clientType: text('client_type', { enum: ['confidential', 'public'] }).notNull(),
  redirectUris: text('redirect_uris').array().notNull(),
  scopes: text('scopes').array().notNull(),
  secretHash: text('secret_hash'),
  active: boolean('active').notNull().default(true),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

/** An app's request while the person decides. The decision removes it. */
export const oauthRequests = svc.table('oauth_requests', {
  requestId: uuid('request_id').primaryKey(),
  clientId: uuid('client_id').notNull(),
  redirectUri: text('redirect_uri').notNull(),
  scopes: text('scopes').array().notNull(),
  state: text('state'),
  codeChallenge: text('code_challenge').notNull(),
  expiresAt: instant('expires_at').notNull(),
})

export const oauthConsents = svc.table(
  'oauth_consents',
  {
    clientId: uuid('client_id').notNull(),
    userId: uuid('user_id').notNull(),
    scopes: text('scopes').array().notNull(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.clientId, table.userId] })],
)

/** One exchanged code. Every pair of tokens that comes of it belongs to the grant and ends with it. */
export const oauthGrants = svc.table('oauth_grants', {
  grantId: uuid('grant_id').primaryKey(),
  clientId: uuid('client_id').notNull(),
  userId: uuid('user_id').notNull(),
  scopes: text('scopes').array().notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  revokedAt: instant('revoked_at'),
  revokeReason: text('revoke_reason'),
})

export const oauthCodes = svc.table('oauth_codes', {
  codeHash: text('code_hash').primaryKey(),
  clientId: uuid('client_id').notNull(),
  userId: uuid('user_id').notNull(),
  redirectUri: text('redirect_uri').notNull(),
  scopes: text('scopes').array().notNull(),
  codeChallenge: text('code_challenge').notNull(),
  expiresAt: instant('expires_at').notNull(),
  spentAt: instant('spent_at'),
  grantId: uuid('grant_id'),
})

/** One row per pair of access and refresh token. */
export const oauthTokens = svc.table('oauth_tokens', {
  tokenId: uuid('token_id').primaryKey(),
  grantId: uuid('grant_id').notNull(),
  accessHash: text('access_hash').notNull(),
  accessExpiresAt: instant('access_expires_at').notNull(),
  refreshHash: text('refresh_hash').notNull(),
  refreshExpiresAt: instant('refresh_expires_at').notNull(),
  spentAt: instant('spent_at'),
  successorNonce: text('successor_nonce'),
})
