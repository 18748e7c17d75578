import { z } from 'zod'
import { defineTopic } from '../kernel/events/index.ts'

/** A change request was opened, edited, merged, closed, reopened, or asked to change. */
export const changeRequestChanged = defineTopic(
  'change_request.changed',
  z.object({
    project_id: z.string(),
    account_id: z.string(),
    cr_id: z.string(),
    number: z.number(),
    change: z.enum(['opened', 'edited', 'merged', 'closed', 'reopened', 'changes_requested']),
    origin_session_id: z.string().nullable(),
  }),
)
