import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { instant, queryInteger, uuid } from './kernel/shapes.ts'
import { SessionCost } from './sessions.ts'

/** What sessions have cost, across an account. */

const usd = z.number()
const count = z.number().int()

export const sessionCosts = operation({
  id: 'billing.sessionCosts.list',
  at: 'GET /v1/usage/session-costs',
  summary: 'What the sessions of an account or a project have cost',
  description:
    'Sessions of projects whose spend the caller may see. `from` is included, `to` is not; without them the last 30 days. `reconciliation` is what was spent without a session. With `project_id` alone, the right to see that project’s spend is enough.',
  needs: 'signed-in',
  mayNeed: ['billing.read', 'project.gateway.spend.read'],
  audit: 'request',
  query: z.object({
    account_id: uuid.optional(),
    project_id: uuid.optional(),
    owner_id: uuid.optional(),
    from: instant.optional(),
    to: instant.optional(),
    sort: z.enum(['total_desc', 'total_asc', 'recent']).optional(),
    limit: queryInteger(1, 100).optional(),
    offset: queryInteger(0, 10_000).optional(),
  }),
  returns: z.object({
    sessions: z.array(SessionCost),
    total: count,
    limit: count,
    offset: count,
    next_offset: count.nullable(),
    reconciliation: z.object({
      llm_cost: usd,
      compute_cost: usd,
      total_cost: usd,
      request_count: count,
      compute_window_count: count,
      compute_seconds: usd,
    }),
  }),
  errors: ['not_found'],
})
