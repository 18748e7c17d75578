import { z } from 'zod'
import { AuditEvent } from './audit.ts'
import { operation } from './kernel/operation.ts'
import { cursor, instant, queryFlag, queryInteger, uuid } from './kernel/shapes.ts'
import { CreateSessionInput } from './session-input.ts'

/** Sessions: an agent at work in a sandbox, on a branch of its own. */

const base = '/v1/projects/:projectId/sessions'
export const sessionPath = `${base}/:sessionId` as const

export const sessionStatuses = [
  'queued',
  'branching',
  'provisioning',
  'running',
  'stopped',
  'failed',
  'completed',
] as const
export const machineStatuses = ['provisioning', 'active', 'stopped', 'error', 'archived'] as const

const text = z.string().nullable()
const document = z.record(z.string(), z.unknown())

/** What anybody who sends `mode: private` names themselves by. */
const ownerId = z.string().max(128).optional()

export const SharingIntent = z
  .discriminatedUnion('mode', [
    z.strictObject({ mode: z.literal('project') }),
    z.strictObject({ mode: z.literal('private'), ownerId }),
    z.strictObject({
      mode: z.literal('members'),
      memberIds: z.array(z.string().max(128)).max(500).optional(),
      groupIds: z.array(z.string().max(128)).max(500).optional(),
    }),
  ])
  .meta({ id: 'SharingIntent', description: 'Who may open a session.' })

const Conversation = z.object({
  id: z.string(),
  title: text,
  parent_id: text,
  project_id: text,
  created_at: z.number().nullable(),
  updated_at: z.number().nullable(),
  archived_at: z.number().nullable(),
})

export const Session = z
  .object({
    session_id: uuid,
    account_id: uuid,
    project_id: uuid,
    branch_name: z.string(),
    base_ref: z.string(),
    sandbox_provider: z.string(),
    sandbox_id: text,
    sandbox_url: text,
    opencode_session_id: text,
    name: text.meta({ description: 'The name people gave it, else the one made from its first prompt.' }),
    custom_name: text,
    agent_name: z.string(),
    status: z.enum(sessionStatuses),
    error: text,
    metadata: document,
    opencode_sessions: z.array(Conversation).meta({ description: 'The runtime’s conversations; times in epoch ms.' }),
    created_by: text,
    owner_email: text,
    owner_name: text,
    owner_type: z.enum(['user', 'service_account', 'unknown']).nullable(),
    visibility: z.enum(['private', 'project', 'restricted']),
    sharing: SharingIntent,
    origin: z.enum(['user', 'trigger', 'schedule', 'backend', 'system']),
    secrets_allowlist: z.array(z.string()).nullable(),
    is_owner: z.boolean(),
    can_manage_sharing: z.boolean(),
    can_manage_lifecycle: z.boolean(),
    can_access: z.boolean(),
    runtime_status: z.enum(machineStatuses).nullable(),
    waiting_for: z
      .enum(['question', 'permission'])
      .nullable()
      .meta({ description: 'What the agent needs from a person before it goes on.' }),
    deleted_at: instant.nullable(),
    deleted_by: text,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Session', description: 'An agent at work in a sandbox, on a branch of its own.' })

export const list = operation({
  id: 'sessions.list',
  at: `GET ${base}`,
  summary: 'List sessions the caller can open, last used first',
  description:
    '`scope=project` is for managers: it adds sessions that are unavailable, warm or deleted. Sessions the caller cannot open are left out of both.',
  needs: 'project.session.read',
  mayNeed: ['project.write'],
  audit: 'request',
  query: z.object({ scope: z.enum(['visible', 'project']).optional(), cursor: cursor.optional() }),
  returns: z.array(Session),
})

export const QueuedSession = z
  .object({ status: z.literal('queued'), command_id: text, session_id: text, reason: text })
  .meta({ id: 'QueuedSession', description: 'A session that starts when there is room for it.' })

const agentErrors = ['agent_not_accessible', 'no_agent_access', 'agent_not_available'] as const
const connectorErrors = [
  'connector_not_assigned',
  'connector_connection_not_found',
  'connector_connection_inactive',
  'required_connector_connection_unavailable',
  'connector_connection_required',
  'personal_connector_connection_requires_private_session',
] as const

export const create = operation({
  id: 'sessions.create',
  at: `POST ${base}`,
  summary: 'Start a session',
  description:
    'Answers at once; the machine starts in the background. A prompt given here is stored with the session and runs once, when the runtime is ready.',
  needs: 'project.session.start',
  audit: 'session.create',
  body: CreateSessionInput.prefault({}),
  returns: z.union([Session, QueuedSession]),
  status: 201,
  maxBodyBytes: 16 * 1024 * 1024,
  errors: [
    ...agentErrors,
    ...connectorErrors,
    'invalid_session_runtime_context',
    'invalid_session_connector_bindings',
    'invalid_session_secrets',
    'invalid_session_model',
    'session_model_resolution_failed',
    'unknown_sandbox_template',
    'unknown_sandbox_provider',
    'template_unsupported',
    'sandbox_provider_unavailable',
    'origin_override_forbidden',
    'secret_identifier_not_found',
    'secret_identifier_key_collision',
    'session_id_taken',
    'invalid_ref',
    'repository_unavailable',
    'concurrent_session_limit',
    'project_session_limit',
    'project_session_create_limit',
  ],
})

export const warm = operation({
  id: 'sessions.warm',
  at: `POST ${base}/warm`,
  summary: 'Prepare a session that nobody has prompted yet, or find the one that is ready',
  needs: 'project.session.start',
  audit: 'session.warm',
  body: z.strictObject({ exclude_session_id: uuid.optional() }).prefault({}),
  returns: z.object({
    session: Session,
    reused: z.boolean(),
    workspace_refresh: z.object({
      status: z.enum(['skipped', 'unchanged', 'updated', 'failed']),
      before_sha: z.string().optional(),
      after_sha: z.string().optional(),
      error: z.string().optional(),
    }),
  }),
  errors: [...agentErrors, 'warm_session_unavailable', 'feature_disabled', 'repository_unavailable'],
})

export const get = operation({
  id: 'session.get',
  at: `GET ${sessionPath}`,
  summary: 'Read a session',
  needs: 'project.session.read',
  audit: 'request',
  returns: Session,
})

export const update = operation({
  id: 'session.update',
  at: `PATCH ${sessionPath}`,
  summary: 'Rename a session or change its metadata',
  description: 'An empty or null `name` takes the override away. `metadata` is merged key by key.',
  needs: 'project.session.start',
  audit: 'session.update',
  body: z.looseObject({
    name: z.string().max(500).nullable().optional(),
    metadata: document.optional(),
  }),
  returns: Session,
})

const ok = z.object({ ok: z.literal(true) })

export const remove = operation({
  id: 'session.delete',
  at: `DELETE ${sessionPath}`,
  summary: 'Delete a session: its machine and token end, its branch stays',
  needs: 'project.session.stop',
  audit: 'session.delete',
  returns: ok,
})

const Machine = z.object({
  sandbox_id: uuid,
  session_id: uuid,
  project_id: uuid,
  account_id: uuid,
  provider: z.string(),
  external_id: text,
  base_url: text,
  status: z.enum(machineStatuses),
  config: document,
  metadata: document,
  last_used_at: instant.nullable(),
  created_at: instant,
  updated_at: instant,
})

export const StartPayload = z
  .object({
    stage: z.enum(['provisioning', 'starting', 'ready', 'stopped', 'failed']),
    agent_name: z.string(),
    retriable: z.boolean(),
    sandbox: Machine.nullable(),
    opencode_session_id: text,
    runtime_url: text.optional(),
    runtime_transport: z.literal('rest'),
    failure: z
      .object({
        category: z.enum(['provider-capacity', 'git-auth', 'invalid-secret-boundary-policy', 'sandbox-provider']),
        message: z.string(),
        retryable: z.boolean(),
      })
      .nullable()
      .optional(),
    reason: z.string().optional(),
  })
  .meta({ id: 'SessionStart', description: 'How far a session’s runtime has come.' })

export const start = operation({
  id: 'session.start',
  at: `POST ${sessionPath}/start`,
  summary: 'Wake a session, and tell how far its runtime has come',
  description:
    'Safe to repeat: calls at the same time share one wake. `wait_ms` waits for the next stage, at most 8 s.',
  needs: 'project.session.start',
  audit: 'session.start',
  query: z.object({ wait_ms: queryInteger(0, 3_600_000).optional() }),
  returns: StartPayload,
  idempotent: false,
  errors: [...agentErrors, ...connectorErrors],
})

export const restart = operation({
  id: 'session.restart',
  at: `POST ${sessionPath}/restart`,
  summary: 'Restart a session’s machine; its files stay',
  needs: 'project.session.start',
  audit: 'session.restart',
  returns: z.object({
    ok: z.literal(true),
    session_id: uuid,
    status: z.literal('provisioning'),
    reason: z.string().optional(),
    operation_id: z.string().optional(),
  }),
  status: 202,
  idempotent: false,
  errors: ['session_runtime_identity_unavailable'],
})

export const stop = operation({
  id: 'session.stop',
  at: `POST ${sessionPath}/stop`,
  summary: 'Stop a session’s machine; its files stay',
  needs: 'project.session.stop',
  audit: 'session.stop',
  returns: z.object({ ok: z.literal(true), session_id: uuid, status: z.literal('stopped') }),
  idempotent: false,
  errors: ['session_not_running', 'sandbox_unreachable'],
})

export const setSharing = operation({
  id: 'session.setSharing',
  at: `PUT ${sessionPath}/sharing`,
  summary: 'Say who may open a session',
  needs: 'project.session.read',
  audit: 'session.sharing',
  body: SharingIntent,
  returns: Session,
  errors: ['personal_connector_connection_requires_private_session'],
})

export const commit = operation({
  id: 'session.commit',
  at: `POST ${sessionPath}/commit-push`,
  summary: 'Commit everything in the workspace and push it to the session’s branch',
  needs: 'project.gitops.push',
  audit: 'session.commit',
  body: z.strictObject({ message: z.string().max(100_000).optional() }).prefault({}),
  returns: z.object({
    committed: z.boolean(),
    pushed: z.boolean(),
    nothing_to_do: z.boolean(),
    branch: text,
    head_sha: text,
  }),
  deadlineMs: 120_000,
  errors: ['session_not_running', 'commit_in_progress', 'commit_rejected', 'sandbox_unreachable'],
})

const TranscriptMessage = z.object({
  role: z.string(),
  created: z.number().nullable(),
  completed: z.number().nullable(),
  text: z.string(),
  tools: z.array(z.object({ tool: z.string(), status: text })),
  files: z.array(z.object({ filename: text, mime: text })),
  reasoning_omitted: z.boolean(),
  error: z.object({ name: z.string().optional(), message: z.string().optional() }).nullable().optional(),
})

export const Transcript = z
  .object({
    available: z.boolean(),
    reason: text,
    opencode_session_id: text,
    message_count: z.number().int(),
    messages: z.array(TranscriptMessage),
  })
  .meta({ id: 'Transcript', description: 'The conversation in short: no tool inputs, no tool outputs.' })

export const transcript = operation({
  id: 'session.transcript',
  at: `GET ${sessionPath}/transcript`,
  summary: 'Read the conversation in short; works while the machine is stopped',
  needs: 'project.session.read',
  audit: 'request',
  query: z.object({ limit: queryInteger(1, 500).optional(), chars: queryInteger(80, 5000).optional() }),
  returns: Transcript,
})

const SessionAction = z.object({
  execution_id: z.string(),
  action: z.string(),
  connector_id: text,
  connector: text,
  status: z.enum(['ok', 'error', 'denied', 'pending_approval']),
  risk: z.enum(['read', 'write', 'destructive']).nullable(),
  acted_by: text,
  acted_by_email: text,
  resolved_by: text,
  resolved_by_email: text,
  result_summary: text,
  at: instant,
  resolved_at: instant.nullable(),
  approval_url: text,
})

export const audit = operation({
  id: 'session.audit',
  at: `GET ${sessionPath}/audit`,
  summary: 'Read what happened in a session, oldest first',
  needs: 'project.session.read',
  audit: 'request',
  query: z.object({
    limit: queryInteger(1, 1000).optional(),
    cursor: cursor.optional(),
    include_events: queryFlag.optional(),
  }),
  returns: z.object({
    session_id: uuid,
    agent: text,
    audit_access: z.boolean(),
    count: z.number().int(),
    events: z.array(AuditEvent),
    next_cursor: text,
    actions: z.array(SessionAction),
  }),
})

const counts = {
  request_count: z.number().int(),
  error_count: z.number().int(),
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  cached_tokens: z.number().int(),
  cache_write_tokens: z.number().int(),
}

export const SessionCost = z
  .object({
    session_id: uuid,
    project_id: uuid,
    project_name: z.string(),
    owner_id: text,
    owner_type: text,
    owner_name: text,
    owner_email: text,
    status: z.string(),
    created_at: instant,
    updated_at: instant,
    last_activity_at: instant.nullable(),
    llm_cost: z.number(),
    llm_svc_cost: z.number(),
    llm_provider_cost: z.number(),
    compute_cost: z.number(),
    total_cost: z.number(),
    ...counts,
    model_count: z.number().int(),
    compute_seconds: z.number(),
  })
  .meta({ id: 'SessionCost', description: 'What a session has cost so far, in dollars.' })

const ModelUsage = z.object({ provider: z.string(), model: z.string(), ...counts, cost: z.number(), last_at: instant })

export const cost = operation({
  id: 'session.cost',
  at: 'GET /v1/usage/session-costs/:sessionId',
  summary: 'Read what a session has cost, by model and by entry',
  needs: 'project.gateway.spend.read',
  audit: 'request',
  query: z.object({ project_id: uuid.optional() }),
  returns: SessionCost.extend({
    model_usage: z.array(ModelUsage),
    ledger_entries: z.array(z.looseObject({ kind: z.enum(['llm', 'compute']), id: z.string(), cost: z.number() })),
  }),
})
