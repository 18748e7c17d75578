import { bigint, boolean, customType, date, integer, jsonb, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'
import type { CatalogFacts, CatalogPrice, RefreshRecord } from './catalog/refresh/records.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })
const micros = (name: string) => bigint(name, { mode: 'number' }).notNull()
const count = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0)

export const modelCalls = svc.table('model_calls', {
  callId: uuid('call_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  projectId: uuid('project_id').notNull(),
  sessionId: uuid('session_id'),
  agentName: text('agent_name'),
  userId: uuid('user_id'),
  keyId: uuid('key_id'),
  requestId: text('request_id').notNull(),
  endpoint: text('endpoint').notNull(),
  requestedModel: text('requested_model').notNull(),
  resolvedModel: text('resolved_model').notNull(),
  provider: text('provider').notNull(),
  status: integer('status').notNull(),
  ok: boolean('ok').notNull(),
  errorCode: text('error_code'),
  errorMessage: text('error_message'),
  latencyMs: integer('latency_ms').notNull(),
  firstTokenMs: integer('first_token_ms'),
  attempts: integer('attempts').notNull(),
  inputTokens: integer('input_tokens').notNull(),
  outputTokens: integer('output_tokens').notNull(),
  cachedTokens: integer('cached_tokens').notNull(),
  cacheWriteTokens: integer('cache_write_tokens').notNull(),
  svcMicros: micros('svc_micros'),
  providerMicros: micros('provider_micros'),
  priceVersion: text('price_version'),
  streaming: boolean('streaming').notNull(),
  billingMode: text('billing_mode', { enum: ['credits', 'platform-fee', 'none'] }),
  details: jsonb('details').$type<Record<string, unknown>>().notNull().default({}),
  createdAt: instant('created_at').notNull().defaultNow(),
})

export const modelUsage = svc.table('model_usage', {
  projectId: uuid('project_id').notNull(),
  kind: text('kind').notNull(),
  day: date('day').notNull(),
  subject: text('subject').notNull().default(''),
  detail: text('detail').notNull().default(''),
  requests: count('requests'),
  errors: count('errors'),
  svcMicros: count('svc_micros'),
  providerMicros: count('provider_micros'),
  inputTokens: count('input_tokens'),
  outputTokens: count('output_tokens'),
  cachedTokens: count('cached_tokens'),
  cacheWriteTokens: count('cache_write_tokens'),
  lastAt: instant('last_at'),
})

export const modelBudgets = svc.table('model_budgets', {
  budgetId: uuid('budget_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  projectId: uuid('project_id').notNull(),
  scope: text('scope', { enum: ['project', 'member', 'agent', 'session', 'key'] }).notNull(),
  subject: text('subject').notNull().default(''),
  limitMicros: micros('limit_micros'),
  period: text('period', { enum: ['day', 'week', 'month'] }).notNull(),
  action: text('action', { enum: ['block', 'warn'] }).notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const modelBudgetPeriods = svc.table('model_budget_periods', {
  budgetId: uuid('budget_id').notNull(),
  periodStart: instant('period_start').notNull(),
  spentMicros: count('spent_micros'),
  leasedMicros: count('leased_micros'),
  warnedAt: instant('warned_at'),
})

export const modelBudgetLeases = svc.table('model_budget_leases', {
  nodeId: uuid('node_id').notNull(),
  budgetId: uuid('budget_id').notNull(),
  periodStart: instant('period_start').notNull(),
  micros: micros('micros'),
})

export const projectModels = svc.table('project_models', {
  projectId: uuid('project_id').primaryKey(),
  routing: jsonb('routing'),
  defaultModel: text('default_model'),
  disabledProviders: text('disabled_providers').array().notNull().default([]),
  modelOverrides: jsonb('model_overrides').$type<Record<string, boolean>>().notNull().default({}),
  agentDefaults: jsonb('agent_defaults').$type<Record<string, string>>().notNull().default({}),
  promptDays: integer('prompt_days'),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const accountModels = svc.table('account_models', {
  accountId: uuid('account_id').primaryKey(),
  defaultModel: text('default_model'),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const modelKeys = svc.table('model_keys', {
  keyId: uuid('key_id').primaryKey(),
  projectId: uuid('project_id').notNull(),
  keyPrefix: text('key_prefix').notNull(),
})

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export const modelPrompts = svc.table('model_prompts', {
  callId: uuid('call_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  projectId: uuid('project_id').notNull(),
  sealedRequest: bytea('sealed_request'),
  sealedResponse: bytea('sealed_response'),
  createdAt: instant('created_at').notNull().defaultNow(),
  expiresAt: instant('expires_at').notNull(),
})

export const catalogModels = svc.table('catalog_models', {
  provider: text('provider').notNull(),
  model: text('model').notNull(),
  facts: jsonb('facts').$type<CatalogFacts>().notNull(),
  changedAt: instant('changed_at').notNull(),
  goneAt: instant('gone_at'),
})

export const catalogPrices = svc.table('catalog_prices', {
  provider: text('provider').notNull(),
  model: text('model').notNull(),
  effectiveFrom: instant('effective_from').notNull(),
  price: jsonb('price').$type<CatalogPrice>().notNull(),
})

export const catalogState = svc.table('catalog_state', {
  onlyRow: boolean('only_row').primaryKey().default(true),
  refreshedAt: instant('refreshed_at'),
  lastRefresh: jsonb('last_refresh').$type<RefreshRecord>(),
})
