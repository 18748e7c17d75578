import { customType, jsonb, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export const accounts = svc.table('accounts', {
  accountId: uuid('account_id').primaryKey(),
  name: text('name').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

/** What accepting gives besides the account role. Without an expiry the grant is for ever. */
export interface InviteGrant {
  readonly project_id: string
  readonly role: 'manager' | 'member'
  readonly expires_at?: string | null
}

export const accountInvites = svc.table('account_invites', {
  inviteId: uuid('invite_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  email: text('email').notNull(),
  initialRole: text('initial_role', { enum: ['admin', 'member'] }).notNull(),
  projectGrants: jsonb('project_grants').$type<readonly InviteGrant[]>().notNull().default([]),
  invitedBy: uuid('invited_by'),
  createdAt: instant('created_at').notNull().defaultNow(),
  expiresAt: instant('expires_at').notNull(),
  acceptedAt: instant('accepted_at'),
  acceptedBy: uuid('accepted_by'),
})

export const accountBranding = svc.table('account_branding', {
  accountId: uuid('account_id').primaryKey(),
  appName: text('app_name'),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const brandingAssets = svc.table(
  'branding_assets',
  {
    accountId: uuid('account_id').notNull(),
    kind: text('kind', { enum: ['logo', 'icon', 'favicon', 'logo_dark', 'icon_dark', 'favicon_dark'] }).notNull(),
    sha256: text('sha256').notNull(),
    extension: text('extension', { enum: ['png', 'jpg', 'webp', 'ico', 'svg'] }).notNull(),
    content: bytea('content').notNull(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.kind] })],
)
