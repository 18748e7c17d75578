import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { bytes } from './kernel/payload.ts'
import { instant, queryInteger, uuid } from './kernel/shapes.ts'
import { SessionCost } from './sessions.ts'

/** What sessions have cost, across an account. */

const usd = z.number()
const count = z.number().int()

const which = {
  account_id: uuid.optional(),
  project_id: uuid.optional(),
  owner_id: uuid.optional(),
  from: instant.optional(),
  to: instant.optional(),
  sort: z.enum(['total_desc', 'total_asc', 'recent']).optional(),
}

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
    ...which,
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

export const exportSessionCosts = operation({
  id: 'billing.sessionCosts.export',
  at: 'GET /v1/usage/session-costs.csv',
  summary: 'The same for a spreadsheet',
  description:
    'The sessions of `GET /v1/usage/session-costs` as CSV, up to 10,000 of them; `X-Total-Count` says how many there are. `GET /v1/usage/session-costs?format=csv` is the same place.',
  needs: 'signed-in',
  mayNeed: ['billing.read', 'project.gateway.spend.read'],
  audit: 'request',
  query: z.object({
    ...which,
    limit: queryInteger(1, 10_000).optional(),
    offset: queryInteger(0, 10_000).optional(),
  }),
  returns: bytes('text/csv'),
  errors: ['not_found'],
})
