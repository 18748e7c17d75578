import { z } from 'zod'
import { defineTopic } from '../kernel/events/index.ts'

/** A machine got another state, or met one of its limits. */
export const machineChanged = defineTopic(
  'sandbox.changed',
  z.object({
    sandbox_id: z.string(),
    external_id: z.string(),
    project_id: z.string().nullable(),
    status: z.enum(['provisioning', 'active', 'stopped', 'error', 'archived']),
    /** For people: why it ended, or which limit it met. */
    detail: z.string().nullable(),
  }),
)
