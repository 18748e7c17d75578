import { primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })

export const groups = svc.table('groups', {
  groupId: uuid('group_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  name: text('name').notNull(),
  description: text('description'),
  source: text('source', { enum: ['manual', 'scim'] })
    .notNull()
    .default('manual'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const groupMembers = svc.table(
  'group_members',
  {
    groupId: uuid('group_id').notNull(),
    userId: uuid('user_id').notNull(),
    addedAt: instant('added_at').notNull().defaultNow(),
    addedBy: uuid('added_by'),
  },
  (table) => [primaryKey({ columns: [table.groupId, table.userId] })],
)

/** Custom roles; the system roles are code (`@svc/contract`). */
export const roles = svc.table('roles', {
  roleId: uuid('role_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  key: text('key').notNull(),
  name: text('name').notNull(),
  description: text('description'),
  resourceType: text('resource_type', { enum: ['account', 'project'] }).notNull(),
  actions: text('actions').array().notNull().default([]),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const serviceAccounts = svc.table('service_accounts', {
  serviceAccountId: uuid('service_account_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  name: text('name').notNull(),
  description: text('description'),
  publicPrefix: text('public_prefix').notNull(),
  secretHash: text('secret_hash').notNull(),
  status: text('status', { enum: ['active', 'disabled'] })
    .notNull()
    .default('active'),
  projectId: uuid('project_id'),
  agentName: text('agent_name'),
  lastUsedAt: instant('last_used_at'),
  expiresAt: instant('expires_at'),
  createdAt: instant('created_at').notNull().defaultNow(),
  disabledAt: instant('disabled_at'),
})

export const assignments = svc.table('assignments', {
  assignmentId: uuid('assignment_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  principalType: text('principal_type', { enum: ['user', 'group', 'service_account', 'pending'] }).notNull(),
  principalId: uuid('principal_id').notNull(),
  roleId: text('role_id').notNull(),
  scopeType: text('scope_type', { enum: ['account', 'project'] }).notNull(),
  scopeId: uuid('scope_id'),
  objectType: text('object_type', { enum: ['agent', 'skill', 'secret', 'app', 'trigger'] }),
  objectId: text('object_id'),
  expiresAt: instant('expires_at'),
  expiryRecordedAt: instant('expiry_recorded_at'),
  grantedBy: uuid('granted_by'),
  source: text('source', { enum: ['manual', 'scim', 'sso', 'invite', 'system'] })
    .notNull()
    .default('manual'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})
