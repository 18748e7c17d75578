import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { events as eventStream } from './kernel/payload.ts'
import { instant, queryInteger, uuid } from './kernel/shapes.ts'
import {
  bindingsField,
  connectorAliases,
  PromptPart,
  promptOverrides,
  promptParts,
  secretsField,
} from './session-input.ts'
import { sessionPath } from './sessions.ts'

/** What goes into a running session and what comes out: prompts, turns, the log, questions, settings. */

const text = z.string().nullable()
const messageId = z
  .string()
  .regex(/^msg_[0-9a-f]{12}[A-Za-z0-9]{14}$/, 'must be msg_, 12 hex digits and 14 letters or digits')

export const SessionEvent = z
  .object({
    seq: z.number().int().optional(),
    type: z.string(),
    properties: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'SessionEvent', description: 'One event of a session. `seq` rises by one with no hole.' })

export const events = operation({
  id: 'session.events',
  at: `GET ${sessionPath}/events`,
  summary: 'Follow a session: its log from any point, then live',
  description:
    'Server-sent events. `Last-Event-ID` or `after` resumes right after that number. `stream.reset` comes first when the log no longer reaches back. `heartbeat {latest}` comes at least every 15 seconds, without a number.',
  needs: 'project.session.read',
  audit: 'request',
  query: z.object({ after: queryInteger(0, Number.MAX_SAFE_INTEGER).optional() }),
  returns: eventStream(SessionEvent),
})

export const StoredMessage = z
  .object({
    info: z.record(z.string(), z.unknown()),
    parts: z.array(z.record(z.string(), z.unknown())),
  })
  .meta({ id: 'StoredMessage', description: 'A message of the conversation with its parts, as last known.' })

export const messages = operation({
  id: 'session.storedMessages',
  at: `GET ${sessionPath}/messages`,
  summary: 'Read the conversation as last known, oldest first; works while the machine is stopped',
  needs: 'project.session.read',
  audit: 'request',
  query: z.object({ limit: queryInteger(1, 500).optional(), before: z.string().max(128).optional() }),
  returns: z.object({
    opencode_session_id: text,
    seq: z.number().int().meta({ description: 'The log up to this number is in these messages.' }),
    messages: z.array(StoredMessage),
  }),
})

export const turn = operation({
  id: 'session.turn',
  at: `GET ${sessionPath}/turn`,
  summary: 'Is it working? An empty list means no',
  needs: 'project.session.read',
  audit: 'request',
  returns: z.object({
    turns: z.array(
      z.object({
        turn_token: z.string(),
        state: z.enum(['delivering', 'active']),
        message_id: text,
        opencode_session_id: text,
        started_at: instant.nullable(),
        accepted_at: instant.nullable(),
      }),
    ),
    last_ended: z.object({ turn_token: z.string(), end_reason: text, ended_at: instant.nullable() }).optional(),
  }),
})

const promptStates = ['queued', 'delivering', 'waiting', 'failed'] as const
const maxPromptBytes = 12 * 1024 * 1024

export const sendPrompt = operation({
  id: 'session.prompts.send',
  at: `POST ${sessionPath}/prompts`,
  summary: 'Put a prompt into the session’s queue; it runs once',
  description: 'A repeat with the same `client_message_id` answers 200 with the first prompt. Wakes a stopped session.',
  needs: 'project.session.start',
  audit: 'session.prompt',
  body: z.strictObject({
    client_message_id: z.string().min(1).max(128),
    message_id: messageId,
    parts: promptParts,
    overrides: promptOverrides.optional(),
    client_sent_at_ms: z.number().int().optional(),
    remint_on_delivery: z.boolean().optional(),
  }),
  returns: z.object({ prompt_id: uuid, state: z.string(), message_id: z.string(), deduped: z.boolean() }),
  status: 202,
  idempotent: false,
  maxBodyBytes: maxPromptBytes,
  errors: ['session_deleted', 'agent_not_accessible', 'agent_not_available', 'no_agent_access', 'prompt_queue_full'],
})

const Prompt = z.object({
  prompt_id: uuid,
  client_message_id: z.string(),
  message_id: z.string(),
  wire_message_id: z.string(),
  client_sent_at_ms: z.number().nullable(),
  state: z.enum(promptStates),
  reason: z.enum(['held', 'older_prompt_pending', 'forwarded']).nullable(),
  text: z.string(),
  attempts: z.number().int(),
  last_error: text,
  created_at: instant,
  available_at: instant,
})

export const listPrompts = operation({
  id: 'session.prompts.list',
  at: `GET ${sessionPath}/prompts`,
  summary: 'List prompts that were not delivered yet, oldest first',
  needs: 'project.session.read',
  audit: 'request',
  returns: z.object({ prompts: z.array(Prompt) }),
})

const promptId = z.string().regex(/^(?:[0-9a-fA-F-]{36}|msg_[0-9A-Za-z]{26})$/)

export const cancelPrompt = operation({
  id: 'session.prompts.cancel',
  at: `DELETE ${sessionPath}/prompts/:promptId`,
  summary: 'Take a prompt out of the queue, by its id or its message id',
  needs: 'project.session.start',
  audit: 'session.prompt_cancel',
  params: { promptId },
  returns: z.object({
    removed: z.boolean(),
    prompt: Prompt.extend({ parts: z.array(PromptPart), overrides: promptOverrides.nullable() }).nullable(),
  }),
  errors: ['prompt_being_answered'],
})

export const retryPrompt = operation({
  id: 'session.prompts.retry',
  at: `POST ${sessionPath}/prompts/:promptId/retry`,
  summary: 'Run this prompt next',
  needs: 'project.session.start',
  audit: 'session.prompt_retry',
  params: { promptId },
  returns: z.object({ prompt: Prompt }),
  idempotent: false,
  errors: ['prompt_being_answered'],
})

export const holdPrompts = operation({
  id: 'session.prompts.hold',
  at: `POST ${sessionPath}/prompts/hold`,
  summary: 'Pause the queue, or let it go on',
  needs: 'project.session.start',
  audit: 'session.prompt_hold',
  body: z.strictObject({ held: z.boolean() }),
  returns: z.object({ held: z.boolean() }),
  idempotent: false,
})

const Bindings = z.record(z.string(), z.object({ connection_id: z.string() }))
const names = z.array(z.string())

const Scope = z
  .object({
    secrets_allowlist: names.nullable(),
    required_connectors: names,
    connector_bindings: Bindings,
    connector_bindings_configured: z.boolean(),
    connector_bindings_inherit_unbound: z.boolean(),
    dropped_secrets: names,
    added_secrets: names,
    dropped_bindings: names,
    retroactive: z.boolean(),
    applied_live: z.boolean().optional(),
    push_failed: z.boolean().optional(),
    detail: z.string(),
  })
  .meta({ id: 'SessionScope', description: 'Which secrets and connections a session may use.' })

export const scope = operation({
  id: 'session.scope',
  at: `GET ${sessionPath}/scope`,
  summary: 'Read which secrets and connections a session may use',
  needs: 'project.session.read',
  audit: 'request',
  returns: Scope,
})

export const rescope = operation({
  id: 'session.rescope',
  at: `PUT ${sessionPath}/scope`,
  summary: 'Change which secrets and connections a session may use',
  description: 'Of the bindings: left out keeps them, null returns to the project’s own, `{}` leaves no connector.',
  needs: 'project.session.bindings.write',
  audit: 'session.scope',
  body: z.strictObject({
    secrets: secretsField.optional(),
    connector_bindings: bindingsField.optional(),
    require_connectors: connectorAliases.optional(),
  }),
  returns: Scope,
  errors: [
    'agent_grant_unresolved',
    'invalid_session_secrets',
    'invalid_session_connector_bindings',
    'secret_identifier_not_found',
    'secret_identifier_key_collision',
    'connector_not_assigned',
    'connector_connection_not_found',
    'connector_connection_inactive',
    'required_connector_connection_unavailable',
    'connector_connection_required',
    'personal_connector_connection_requires_private_session',
  ],
})

export const changeModel = operation({
  id: 'session.changeModel',
  at: `PUT ${sessionPath}/model`,
  summary: 'Change the model of a session; a running runtime restarts with it',
  needs: 'project.session.start',
  audit: 'session.model',
  body: z.strictObject({ opencode_model: z.string().min(1).max(200) }),
  returns: z.object({
    opencode_model: z.string(),
    applied_live: z.boolean(),
    push_failed: z.boolean().optional(),
    detail: z.string().optional(),
  }),
  errors: ['invalid_session_model'],
})

export const configState = operation({
  id: 'session.configState',
  at: `GET ${sessionPath}/config`,
  summary: 'Is the session’s agent configuration the newest?',
  description: 'Null means unknown.',
  needs: 'project.session.read',
  audit: 'request',
  returns: z.object({
    base_ref: z.string(),
    running_etag: text,
    latest_etag: text,
    commit_sha: text,
    stale: z.boolean().nullable(),
    sandbox_reachable: z.boolean(),
  }),
})

export const reloadConfig = operation({
  id: 'session.reloadConfig',
  at: `POST ${sessionPath}/reload`,
  summary: 'Bring the newest agent configuration into a running session',
  needs: 'project.session.start',
  audit: 'session.reload',
  body: z.strictObject({ refresh_repo: z.boolean().optional(), force: z.boolean().optional() }).prefault({}),
  returns: z.object({
    applied: z.boolean(),
    previous_etag: text,
    etag: text,
    repo_refreshed: z.boolean(),
    commit_sha: text,
    agent_files: names.optional(),
    opencode_reload: z.enum(['disposed', 'restarted', 'kept-old']).nullable().optional(),
    turn_ended: z.boolean().optional(),
    reason: z.string().optional(),
    detail: z.string(),
  }),
  idempotent: false,
  deadlineMs: 120_000,
  errors: ['session_busy', 'session_not_running', 'sandbox_unreachable'],
})

export const question = operation({
  id: 'session.question',
  at: `GET ${sessionPath}/question`,
  summary: 'Read what the session waits for: its question, also while the machine is stopped, and its permissions',
  needs: 'project.session.read',
  audit: 'request',
  returns: z.object({
    question: z.record(z.string(), z.unknown()).nullable(),
    permissions: z
      .array(z.record(z.string(), z.unknown()))
      .meta({ description: 'What the turn that runs may not do without a person’s leave.' }),
  }),
})

export const answerQuestion = operation({
  id: 'session.answerQuestion',
  at: `POST ${sessionPath}/question`,
  summary: 'Answer the question of a stopped session; it goes on with the answer',
  needs: 'project.session.start',
  audit: 'session.answer',
  body: z.strictObject({
    answers: z
      .array(z.array(z.string().max(10_000)).max(64))
      .min(1)
      .max(64),
    request_id: z.string().max(128).optional(),
  }),
  returns: z.object({ ok: z.literal(true), delivery: z.enum(['queued', 'runtime']) }),
  idempotent: false,
  errors: ['already_answered'],
})
