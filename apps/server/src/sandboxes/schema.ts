import { customType, integer, jsonb, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'
import type { MachineResources } from './provider.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export interface MachineConfig {
  readonly resources: MachineResources
  readonly entrypoint?: string
}

export const sandboxes = svc.table('sandboxes', {
  sandboxId: uuid('sandbox_id').primaryKey(),
  accountId: uuid('account_id'),
  projectId: uuid('project_id'),
  provider: text('provider').notNull(),
  externalId: text('external_id').notNull(),
  nodeId: uuid('node_id').notNull(),
  hostUid: integer('host_uid'),
  status: text('status', { enum: ['provisioning', 'active', 'stopped', 'error', 'archived'] })
    .notNull()
    .default('provisioning'),
  statusDetail: text('status_detail'),
  templateSlug: text('template_slug').notNull().default('default'),
  image: text('image'),
  sealedServiceKey: bytea('sealed_service_key').notNull(),
  config: jsonb('config').$type<MachineConfig>().notNull(),
  metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
  lastUsedAt: instant('last_used_at'),
  startedAt: instant('started_at'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})
