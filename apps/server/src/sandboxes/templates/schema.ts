import { integer, jsonb, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../../kernel/database/svc-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })

/** What a build is made from, frozen when it was asked for. */
export interface BuildDefinition {
  readonly image: string | null
  readonly dockerfilePath: string | null
  /** Build although the image is there. */
  readonly anew: boolean
}

export const sandboxTemplates = svc.table('sandbox_templates', {
  templateId: uuid('template_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  projectId: uuid('project_id').notNull(),
  slug: text('slug').notNull(),
  name: text('name'),
  image: text('image'),
  dockerfilePath: text('dockerfile_path'),
  entrypoint: text('entrypoint'),
  cpu: integer('cpu').notNull().default(2),
  memoryGb: integer('memory_gb').notNull().default(4),
  diskGb: integer('disk_gb').notNull().default(20),
  createdBy: text('created_by'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const sandboxBuilds = svc.table('sandbox_builds', {
  buildId: uuid('build_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  projectId: uuid('project_id').notNull(),
  slug: text('slug').notNull(),
  provider: text('provider').notNull(),
  snapshotName: text('snapshot_name').notNull(),
  contentHash: text('content_hash').notNull(),
  definition: jsonb('definition').$type<BuildDefinition>().notNull(),
  commitSha: text('commit_sha'),
  status: text('status', { enum: ['building', 'ready', 'failed'] })
    .notNull()
    .default('building'),
  error: text('error'),
  errorCategory: text('error_category', {
    enum: ['quota', 'dockerfile', 'layer', 'tunnel', 'provider', 'timeout', 'runtime', 'git', 'unknown'],
  }),
  source: text('source', {
    enum: ['session-start', 'project-create', 'cr-merge', 'manual', 'background', 'startup'],
  }),
  log: text('log').notNull().default(''),
  startedAt: instant('started_at').notNull().defaultNow(),
  finishedAt: instant('finished_at'),
})

export const sandboxChoices = svc.table('sandbox_choices', {
  projectId: uuid('project_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  selectedProvider: text('selected_provider'),
  generation: integer('generation').notNull().default(0),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const sandboxTransitions = svc.table('sandbox_transitions', {
  transitionId: uuid('transition_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  projectId: uuid('project_id').notNull(),
  generation: integer('generation').notNull(),
  status: text('status', {
    enum: ['pending', 'building', 'ready', 'activating', 'activated', 'failed', 'superseded', 'cancelled'],
  }).notNull(),
  sourceProvider: text('source_provider').notNull(),
  targetProvider: text('target_provider').notNull(),
  label: text('label').notNull(),
  snapshotName: text('snapshot_name'),
  externalTemplateId: text('external_template_id'),
  commitSha: text('commit_sha'),
  attempts: integer('attempts').notNull().default(0),
  lastError: text('last_error'),
  errorClass: text('error_class'),
  requestedBy: text('requested_by'),
  requestedAt: instant('requested_at').notNull().defaultNow(),
  readyAt: instant('ready_at'),
  activatedAt: instant('activated_at'),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})
