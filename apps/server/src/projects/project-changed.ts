import { z } from 'zod'
import { defineTopic } from '../kernel/events/index.ts'

/** A project was made, changed or archived. */
export const projectChanged = defineTopic(
  'project.changed',
  z.object({
    project_id: z.string(),
    account_id: z.string(),
    change: z.enum(['created', 'updated', 'archived', 'features']),
  }),
)
