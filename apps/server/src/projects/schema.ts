import { text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })

export const projects = svc.table('projects', {
  projectId: uuid('project_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  name: text('name').notNull(),
  status: text('status', { enum: ['provisioning', 'active', 'archived'] })
    .notNull()
    .default('active'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})
