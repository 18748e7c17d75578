import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { instant, queryFlag, queryInteger, uuid } from './kernel/shapes.ts'
import { GenerationConfig } from './model-settings.ts'

export { exportSessionCosts, sessionCosts } from './model-costs.ts'

/** What calls of models cost: the log, what it adds up to, budgets, keys, and a place to try models. */

const gateway = '/v1/projects/:projectId/gateway' as const
const text = z.string().nullable()
const count = z.number().int()
const usd = z.number()

export const GatewayLog = z
  .object({
    log_id: uuid,
    request_id: z.string(),
    created_at: instant,
    requested_model: z.string(),
    resolved_model: z.string(),
    provider: z.string(),
    status: count,
    ok: z.boolean(),
    error_code: text,
    error_message: text,
    latency_ms: count,
    first_token_ms: count.nullable(),
    attempts: count,
    input_tokens: count,
    output_tokens: count,
    cached_tokens: count,
    cache_write_tokens: count,
    svc_cost: usd,
    provider_cost: usd,
    total_cost: usd,
    price_version: text,
    streaming: z.boolean(),
    billing_mode: z.enum(['credits', 'platform-fee', 'none']).nullable(),
    actor_user_id: text,
    key_id: text,
    session_id: text,
  })
  .meta({ id: 'GatewayLog', description: 'One call of a model. Costs are USD.' })

export const logs = operation({
  id: 'gateway.logs',
  at: `GET ${gateway}/logs`,
  summary: 'The calls of a project, newest first',
  needs: 'project.gateway.logs.read',
  audit: 'request',
  query: z.object({
    limit: queryInteger(1, 100).optional(),
    offset: queryInteger(0, 100_000).optional(),
    ok: queryFlag.optional(),
  }),
  returns: z.object({ logs: z.array(GatewayLog), next_offset: count.nullable() }),
})

export const log = operation({
  id: 'gateway.log',
  at: `GET ${gateway}/logs/:logId`,
  summary: 'One call, with what was tried',
  description:
    'What was asked and answered, where the project keeps it, is shown to whoever made the call and to those who may change what is kept; to others it is null.',
  needs: 'project.gateway.logs.read',
  mayNeed: ['project.customize.write'],
  audit: 'request',
  params: { logId: z.string().min(1).max(64) },
  returns: GatewayLog.extend({
    candidates_tried: z.array(z.record(z.string(), z.unknown())),
    request: z.record(z.string(), z.unknown()).nullable(),
    response: z.record(z.string(), z.unknown()).nullable(),
    metadata: z.record(z.string(), z.unknown()),
  }),
  errors: ['validation_failed'],
})

/** Clamped, not refused. */
const days = z
  .string()
  .regex(/^-?\d{1,9}$/, 'must be a whole number')
  .transform((given) => Math.min(365, Math.max(1, Number(given))))
const window = z.object({ days: days.optional() })
const windowDays = { window_days: count }
const costs = { svc_cost: usd, provider_cost: usd }

export const overview = operation({
  id: 'gateway.overview',
  at: `GET ${gateway}/overview`,
  summary: 'What the calls of a project add up to',
  needs: 'project.gateway.spend.read',
  audit: 'request',
  query: window,
  returns: z.object({
    ...windowDays,
    requests: count,
    errors: count,
    total_cost: usd,
    ...costs,
    input_tokens: count,
    output_tokens: count,
  }),
})

export const series = operation({
  id: 'gateway.series',
  at: `GET ${gateway}/series`,
  summary: 'The same by day',
  needs: 'project.gateway.spend.read',
  audit: 'request',
  query: window,
  returns: z.object({
    ...windowDays,
    series: z.array(
      z.object({
        day: z.string(),
        requests: count,
        errors: count,
        cost: usd,
        ...costs,
        input_tokens: count,
        output_tokens: count,
        p50: usd,
        p95: usd,
        p99: usd,
      }),
    ),
  }),
})

export const breakdown = operation({
  id: 'gateway.breakdown',
  at: `GET ${gateway}/breakdown`,
  summary: 'The same by model',
  needs: 'project.gateway.spend.read',
  audit: 'request',
  query: window,
  returns: z.object({
    ...windowDays,
    models: z.array(
      z.object({
        model: z.string(),
        provider: z.string(),
        requests: count,
        errors: count,
        cost: usd,
        ...costs,
        tokens: count,
      }),
    ),
  }),
})

export const sessions = operation({
  id: 'gateway.sessions',
  at: `GET ${gateway}/sessions`,
  summary: 'The same by session, the dearest first',
  needs: 'project.gateway.spend.read',
  audit: 'request',
  query: window,
  returns: z.object({
    ...windowDays,
    sessions: z.array(
      z.object({
        session_id: z.string(),
        llm_cost: usd,
        compute_cost: usd,
        total_cost: usd,
        requests: count,
        errors: count,
        tokens: count,
        models: count,
        compute_seconds: usd,
        last_at: instant.nullable(),
      }),
    ),
  }),
})

export const errors = operation({
  id: 'gateway.errors',
  at: `GET ${gateway}/errors`,
  summary: 'Why calls failed, the most frequent reason first',
  needs: 'project.gateway.logs.read',
  audit: 'request',
  query: window,
  returns: z.object({ ...windowDays, errors: z.array(z.object({ code: z.string(), count })) }),
})

const BudgetScope = z.enum(['project', 'member', 'agent', 'session', 'key'])
const Period = z.enum(['day', 'week', 'month'])
const BudgetAction = z.enum(['block', 'warn'])

export const GatewayBudget = z
  .object({
    budget_id: uuid,
    scope: BudgetScope,
    subject_user_id: text,
    subject_id: text,
    limit_usd: usd,
    period: Period,
    action: BudgetAction,
    spent_usd: usd,
  })
  .meta({ id: 'GatewayBudget', description: 'What may be spent in a calendar period, and by whom.' })

export const budgets = operation({
  id: 'gateway.budgets',
  at: `GET ${gateway}/budgets`,
  summary: 'The budgets of a project and what this month has cost',
  needs: 'project.gateway.spend.read',
  audit: 'request',
  returns: z.object({
    project_spend: z.object({ requests: count, cost: usd }),
    budgets: z.array(GatewayBudget),
    members: z.array(z.object({ user_id: z.string(), email: text, requests: count, cost: usd, tokens: count })),
  }),
})

export const setBudget = operation({
  id: 'gateway.setBudget',
  at: `PUT ${gateway}/budgets`,
  summary: 'Set what may be spent',
  needs: 'project.gateway.budget.set',
  audit: 'gateway.budget_set',
  body: z.strictObject({
    scope: BudgetScope,
    subject_user_id: uuid.nullish(),
    subject_id: z.string().min(1).max(128).nullish(),
    limit_usd: z.number().positive().max(1_000_000_000),
    period: Period.optional(),
    action: BudgetAction.optional(),
  }),
  returns: z.object({ ok: z.literal(true) }),
})

export const deleteBudget = operation({
  id: 'gateway.deleteBudget',
  at: `DELETE ${gateway}/budgets/:budgetId`,
  summary: 'Remove a budget',
  needs: 'project.gateway.budget.set',
  audit: 'gateway.budget_removed',
  returns: z.object({ ok: z.literal(true) }),
})

export const keys = operation({
  id: 'gateway.keys',
  at: `GET ${gateway}/keys`,
  summary: 'The gateway keys of a project',
  needs: 'project.gateway.keys.manage',
  audit: 'request',
  returns: z.object({
    gateway_url: text,
    keys: z.array(
      z.object({
        key_id: uuid,
        name: z.string(),
        key_prefix: z.string(),
        status: z.enum(['active', 'revoked', 'expired']),
        last_used_at: instant.nullable(),
        created_at: instant,
      }),
    ),
  }),
})

export const createKey = operation({
  id: 'gateway.createKey',
  at: `POST ${gateway}/keys`,
  summary: 'Make a gateway key; it is shown once',
  needs: 'project.gateway.keys.manage',
  audit: 'gateway.key_created',
  body: z.strictObject({ name: z.string().trim().min(1).max(255) }),
  returns: z.object({ key_id: uuid, name: z.string(), key_prefix: z.string(), secret_key: z.string() }),
})

export const revokeKey = operation({
  id: 'gateway.revokeKey',
  at: `DELETE ${gateway}/keys/:keyId`,
  summary: 'End a gateway key',
  needs: 'project.gateway.keys.manage',
  audit: 'gateway.key_revoked',
  returns: z.object({ ok: z.boolean() }),
})

export const Retention = z
  .object({ prompt_days: z.number().int().min(1).max(365).nullable() })
  .meta({ id: 'GatewayRetention', description: 'For how many days prompts and answers are kept; null: not at all.' })

export const retention = operation({
  id: 'gateway.retention',
  at: `GET ${gateway}/retention`,
  summary: 'Read whether prompts and answers are kept, and for how long',
  needs: 'project.gateway.logs.read',
  audit: 'request',
  returns: Retention,
})

export const setRetention = operation({
  id: 'gateway.setRetention',
  at: `PUT ${gateway}/retention`,
  summary: 'Keep prompts and answers for some days, or no longer',
  description: 'With null nothing is kept, and what was kept is deleted.',
  needs: 'project.customize.write',
  audit: 'gateway.retention_set',
  body: z.strictObject({ prompt_days: Retention.shape.prompt_days }),
  returns: Retention,
})

export const playground = operation({
  id: 'gateway.playground',
  at: `POST ${gateway}/playground`,
  summary: 'Ask up to six models the same, side by side',
  needs: 'project.gateway.spend.read',
  audit: 'request',
  deadlineMs: 120_000,
  body: z.strictObject({
    prompt: z.string().min(1).max(8_000),
    models: z.array(z.string().min(1).max(128)).min(1).max(6),
    system: z.string().max(4_000).optional(),
    generationConfig: GenerationConfig.optional(),
  }),
  returns: z.object({
    results: z.array(
      z.object({
        model: z.string(),
        ok: z.boolean(),
        latency_ms: count.optional(),
        output: z.string().optional(),
        input_tokens: count.optional(),
        output_tokens: count.optional(),
        cost: usd.optional(),
        resolved_model: z.string().optional(),
        provider: z.string().optional(),
        error: z.string().optional(),
      }),
    ),
  }),
})
