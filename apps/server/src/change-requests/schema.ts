import { integer, jsonb, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })

/** What a merge was about to do when it began. */
export interface MergeIntent {
  readonly base_sha: string
  readonly head_sha: string
  readonly by: string
  readonly at: string
  /** The data directory of the server that merges, and until when it alone may say what became of it. */
  readonly home: string
  readonly until: string
}

export const changeRequests = svc.table('change_requests', {
  crId: uuid('cr_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  projectId: uuid('project_id').notNull(),
  number: integer('number').notNull(),
  title: text('title').notNull(),
  description: text('description').notNull().default(''),
  baseRef: text('base_ref').notNull(),
  headRef: text('head_ref').notNull(),
  status: text('status', { enum: ['open', 'merged', 'closed'] })
    .notNull()
    .default('open'),
  headCommitSha: text('head_commit_sha'),
  baseCommitSha: text('base_commit_sha'),
  originSessionId: uuid('origin_session_id'),
  createdBy: text('created_by').notNull(),
  author: jsonb('author').$type<{ name: string; email: string }>().notNull(),
  mergedAt: instant('merged_at'),
  mergedBy: text('merged_by'),
  mergeCommitSha: text('merge_commit_sha'),
  closedAt: instant('closed_at'),
  closedBy: text('closed_by'),
  mergeIntent: jsonb('merge_intent').$type<MergeIntent>(),
  metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})
