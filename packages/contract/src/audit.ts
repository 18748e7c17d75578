import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { bytes } from './kernel/payload.ts'
import { cursor, instant, queryInteger, uuid } from './kernel/shapes.ts'

/** What happened: the log, its export, and the webhooks it is pushed to. */

const base = '/v1/accounts/:accountId/audit'
const nullableText = z.string().nullable()
const nullableCount = z.number().int().nullable()
/** Any JSON, after redaction. */
const summary = z.unknown()

export const AuditEvent = z
  .object({
    event_id: uuid,
    occurred_at: instant,
    sequence: z.number().int().meta({ description: 'Rises by one per account, with no hole.' }),
    previous_hash: z.string().meta({ description: 'The hash of the event before; 64 zeros for the first.' }),
    hash: z.string().meta({
      description: 'Hex SHA-256 of the canonical JSON (sorted keys) of this event without `hash`.',
    }),
    account_id: uuid.nullable(),
    project_id: uuid.nullable(),
    session_id: uuid.nullable(),
    actor_user_id: nullableText,
    actor_type: nullableText,
    agent_id: nullableText,
    agent_name: nullableText,
    initiator_actor_type: nullableText,
    initiator_actor_id: nullableText,
    source: nullableText,
    client_reported_source: nullableText,
    outcome: nullableText,
    action: nullableText,
    phase: nullableText,
    resource_type: nullableText,
    resource_id: nullableText,
    http_status: nullableCount,
    duration_ms: nullableCount,
    request_id: nullableText,
    trace_id: nullableText,
    correlation_id: nullableText,
    causation_id: nullableText,
    parent_event_id: uuid.nullable(),
    delegation_depth: nullableCount,
    turn_id: nullableText,
    message_id: nullableText,
    tool_call_id: nullableText,
    execution_id: nullableText,
    session_sequence: nullableCount,
    input_summary: summary,
    output_summary: summary,
    input_sha256: nullableText,
    output_sha256: nullableText,
    error_code: nullableText,
    before: summary,
    after: summary,
    ip: nullableText,
    user_agent: nullableText,
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEvent', description: 'One thing that happened. Holds no body, prompt, secret or credential.' })

/** The store cannot hold NUL, so nothing would match it. */
const word = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\0]*$/, 'must not hold a NUL character')

/** Strict: a filter that is misspelt must not widen what is read. */
const Filters = z.strictObject({
  action: word.optional().meta({
    description: 'Prefix. A dotted value without a trailing dot matches itself and what follows it after a dot.',
  }),
  actor: word.optional().meta({ description: 'The id of the user or service account that acted.' }),
  actor_type: z.enum(['human', 'agent', 'service_account', 'system']).optional(),
  project_id: uuid.optional(),
  session_id: uuid.optional(),
  source: word.optional().meta({ description: 'What the server derived, or what the client said of itself.' }),
  phase: word.optional(),
  outcome: z.enum(['success', 'failure', 'denied', 'pending']).optional(),
  request_id: word.optional(),
  correlation_id: word.optional(),
  resource_type: word.optional().meta({ description: 'Prefix.' }),
  since: instant.optional().meta({ description: 'Inclusive.' }),
  until: instant.optional().meta({ description: 'Inclusive.' }),
  q: word.optional().meta({
    description: 'Part of action, resource, project, session, request, trace or correlation; case does not count.',
  }),
  cursor: cursor.optional(),
})

const LogQuery = Filters.extend({ limit: queryInteger(1, 200).optional() })
const ExportQuery = Filters.extend({
  limit: queryInteger(1, 10_000).optional(),
  format: z.enum(['csv', 'jsonl']).optional(),
})
const LogPage = z.object({ events: z.array(AuditEvent), next_cursor: z.string().nullable() })

const aboutExport =
  'Oldest first, as `text/csv` or `application/x-ndjson`. `X-Audit-Row-Count`, `X-Audit-Capped`, `X-Audit-Complete` and `X-Audit-Next-Cursor` tell whether more remains. Without filters the last row also has `checkpoint`: the range of the page and the head of the chain, signed. `npm run audit:verify` checks the file alone.'

export const log = operation({
  id: 'accounts.audit.log',
  at: `GET ${base}`,
  summary: 'Read the audit log, newest first',
  needs: 'audit.read',
  entitlement: 'auditAccess',
  audit: 'request',
  query: LogQuery,
  returns: LogPage,
})

export const exportLog = operation({
  id: 'accounts.audit.export',
  at: `GET ${base}/export`,
  summary: 'Export the audit log as CSV or JSON Lines',
  description: aboutExport,
  needs: 'audit.read',
  entitlement: 'auditAccess',
  audit: 'request',
  query: ExportQuery,
  returns: bytes('text/csv'),
})

export const instanceLog = operation({
  id: 'audit.instanceLog',
  at: 'GET /v1/audit',
  summary: 'Read the events that belong to no account, newest first',
  needs: 'operator',
  audit: 'request',
  query: LogQuery,
  returns: LogPage,
})

export const instanceExport = operation({
  id: 'audit.instanceExport',
  at: 'GET /v1/audit/export',
  summary: 'Export the events that belong to no account',
  description: aboutExport,
  needs: 'operator',
  audit: 'request',
  query: ExportQuery,
  returns: bytes('text/csv'),
})

export const AuditKey = z
  .object({
    key_id: uuid,
    algorithm: z.literal('ed25519'),
    public_key: z.string().meta({ description: 'SPKI in base64.' }),
    current: z.boolean(),
    created_at: instant,
  })
  .meta({ id: 'AuditKey', description: 'A public key that checkpoints of exports are signed with.' })

export const keys = operation({
  id: 'audit.keys',
  at: 'GET /v1/audit/keys',
  summary: 'The public keys that sign exports of the audit log',
  needs: 'public',
  audit: 'none',
  returns: z.object({ keys: z.array(AuditKey) }),
})

export const AuditWebhook = z
  .object({
    webhook_id: uuid,
    name: z.string(),
    url: z.string(),
    enabled: z.boolean(),
    action_prefix: nullableText,
    last_delivered_at: instant.nullable(),
    last_error_at: instant.nullable(),
    last_error: nullableText,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'AuditWebhook', description: 'An address that audit events are pushed to (Standard Webhooks).' })

const name = z.string().trim().min(1).max(128)
const actionPrefix = word.max(128)
const secret = z.string().meta({ description: '`whsec_` and base64. Shown once.' })

export const listWebhooks = operation({
  id: 'accounts.audit.webhooks.list',
  at: `GET ${base}/webhooks`,
  summary: 'List audit webhooks, newest first',
  needs: 'account.write',
  audit: 'request',
  query: z.object({ cursor: cursor.optional() }),
  returns: z.object({ webhooks: z.array(AuditWebhook) }),
})

export const createWebhook = operation({
  id: 'accounts.audit.webhooks.create',
  at: `POST ${base}/webhooks`,
  summary: 'Add an audit webhook and send it a test event',
  description:
    'Succeeds whatever the test event meets; `test` tells what it was. The secret is shown this once. An account has at most 20.',
  needs: 'account.write',
  entitlement: 'auditAccess',
  audit: 'iam.audit.webhook.create',
  body: z.object({ name, url: z.string().min(1).max(2048), action_prefix: actionPrefix.nullable().optional() }),
  returns: AuditWebhook.extend({
    secret,
    test: z.object({ ok: z.boolean(), status: z.number().int().optional(), error: z.string().optional() }),
  }),
  status: 201,
})

export const updateWebhook = operation({
  id: 'accounts.audit.webhooks.update',
  at: `PATCH ${base}/webhooks/:webhookId`,
  summary: 'Rename, enable, disable or narrow an audit webhook',
  description: 'The address cannot be changed: add another webhook instead.',
  needs: 'account.write',
  entitlement: 'auditAccess',
  audit: 'iam.audit.webhook.update',
  body: z.strictObject({
    name: name.optional(),
    enabled: z.boolean().optional(),
    action_prefix: actionPrefix.nullable().optional(),
  }),
  returns: AuditWebhook,
})

export const removeWebhook = operation({
  id: 'accounts.audit.webhooks.remove',
  at: `DELETE ${base}/webhooks/:webhookId`,
  summary: 'Remove an audit webhook and what waits for it',
  needs: 'account.write',
  audit: 'iam.audit.webhook.delete',
  returns: z.object({ deleted: z.literal(true) }),
})

export const rotateWebhookSecret = operation({
  id: 'accounts.audit.webhooks.rotateSecret',
  at: `POST ${base}/webhooks/:webhookId/rotate-secret`,
  summary: 'Give an audit webhook a new secret; the old one signs along for 24 hours',
  needs: 'account.write',
  entitlement: 'auditAccess',
  audit: 'iam.audit.webhook.rotate_secret',
  returns: z.object({ secret }),
})

export const replayWebhook = operation({
  id: 'accounts.audit.webhooks.replay',
  at: `POST ${base}/webhooks/:webhookId/replay`,
  summary: 'Queue the dead letters of an audit webhook again',
  description: 'At most 1,000 per call, the oldest first: call again while `remaining` is not 0.',
  needs: 'account.write',
  entitlement: 'auditAccess',
  audit: 'iam.audit.webhook.replay',
  body: z.object({ since: instant }),
  returns: z.object({ queued: z.number().int(), remaining: z.number().int() }),
})
