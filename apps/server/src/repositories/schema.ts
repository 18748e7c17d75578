import { customType, jsonb, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export const repositories = svc.table('repositories', {
  projectId: uuid('project_id').primaryKey(),
  connectionId: uuid('connection_id').notNull(),
  accountId: uuid('account_id').notNull(),
  kind: text('kind', { enum: ['managed', 'remote'] }).notNull(),
  provider: text('provider').notNull(),
  repoName: text('repo_name'),
  repoOwner: text('repo_owner'),
  remoteUrl: text('remote_url'),
  externalRepoId: text('external_repo_id'),
  defaultBranch: text('default_branch').notNull().default('main'),
  manifestPath: text('manifest_path').notNull().default('svc.yaml'),
  authMethod: text('auth_method').notNull().default('none'),
  installationId: text('installation_id'),
  visibility: text('visibility'),
  status: text('status', { enum: ['active', 'error'] })
    .notNull()
    .default('active'),
  sealedCredential: bytea('sealed_credential'),
  lastValidatedAt: instant('last_validated_at'),
  lastErrorCode: text('last_error_code'),
  lastErrorMessage: text('last_error_message'),
  metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})
