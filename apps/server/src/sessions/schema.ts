import { bigint, boolean, customType, integer, jsonb, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { svc } from '../kernel/database/svc-schema.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })
const millisecond = (name: string) => timestamp(name, { withTimezone: true, precision: 3 })
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const number = (name: string) => bigint(name, { mode: 'number' })

/** Why a boot gave up, as clients read it. */
export interface Failure {
  readonly category: 'provider-capacity' | 'git-auth' | 'invalid-secret-boundary-policy' | 'sandbox-provider'
  readonly message: string
  readonly retryable: boolean
}

export interface Conversation {
  readonly id: string
  readonly title: string | null
  readonly parent_id: string | null
  readonly project_id: string | null
  readonly created_at: number | null
  readonly updated_at: number | null
  readonly archived_at: number | null
}

export type Bindings = Readonly<Record<string, { readonly connection_id: string }>>

export const sessions = svc.table('sessions', {
  sessionId: uuid('session_id').primaryKey(),
  accountId: uuid('account_id').notNull(),
  projectId: uuid('project_id').notNull(),
  branchName: text('branch_name').notNull(),
  baseRef: text('base_ref').notNull(),
  baseSha: text('base_sha'),
  nodeId: uuid('node_id'),
  sandboxProvider: text('sandbox_provider').notNull(),
  sandboxSlug: text('sandbox_slug').notNull().default('default'),
  agentName: text('agent_name').notNull(),
  runtime: text('runtime', { enum: ['opencode', 'pi'] }).notNull(),
  repositoryAccess: boolean('repository_access').notNull().default(true),
  model: text('model'),
  modelSource: text('model_source'),
  conversationId: text('conversation_id'),
  conversations: jsonb('conversations').$type<Conversation[]>().notNull().default([]),
  customName: text('custom_name'),
  generatedName: text('generated_name'),
  status: text('status', {
    enum: ['queued', 'branching', 'provisioning', 'running', 'stopped', 'failed', 'completed'],
  }).notNull(),
  error: text('error'),
  failure: jsonb('failure').$type<Failure>(),
  operationId: uuid('operation_id'),
  bootingSince: instant('booting_since'),
  readyAt: instant('ready_at'),
  metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
  ownerType: text('owner_type', { enum: ['user', 'service_account'] }),
  ownerId: uuid('owner_id'),
  createdBy: text('created_by'),
  visibility: text('visibility', { enum: ['private', 'project', 'restricted'] })
    .notNull()
    .default('private'),
  sharedMembers: text('shared_members').array().notNull().default([]),
  sharedGroups: text('shared_groups').array().notNull().default([]),
  origin: text('origin', { enum: ['user', 'trigger', 'schedule', 'backend', 'system'] }).notNull(),
  spawnedBy: uuid('spawned_by'),
  isWarm: boolean('is_warm').notNull().default(false),
  secretsAllowlist: text('secrets_allowlist').array(),
  runtimeContext: jsonb('runtime_context').$type<Record<string, unknown>>(),
  connectorBindings: jsonb('connector_bindings').$type<Bindings>(),
  inheritUnbound: boolean('inherit_unbound').notNull().default(true),
  requiredConnectors: text('required_connectors').array().notNull().default([]),
  configEtag: text('config_etag'),
  configCommit: text('config_commit'),
  queueHeld: boolean('queue_held').notNull().default(false),
  idleAt: instant('idle_at'),
  lastTurnAt: instant('last_turn_at'),
  lastActivityAt: instant('last_activity_at'),
  deletedAt: instant('deleted_at'),
  deletedBy: text('deleted_by'),
  createdAt: millisecond('created_at').notNull().defaultNow(),
  updatedAt: millisecond('updated_at').notNull().defaultNow(),
})

export const sessionNodes = svc.table('session_nodes', {
  nodeId: uuid('node_id').primaryKey(),
  seenAt: instant('seen_at').notNull().defaultNow(),
})

export const sessionPrompts = svc.table('session_prompts', {
  promptId: uuid('prompt_id').primaryKey(),
  sessionId: uuid('session_id').notNull(),
  position: number('position').notNull(),
  clientMessageId: text('client_message_id').notNull(),
  messageId: text('message_id').notNull(),
  wireMessageId: text('wire_message_id').notNull(),
  remint: boolean('remint').notNull().default(false),
  clientSentAtMs: number('client_sent_at_ms'),
  parts: text('parts').notNull(),
  overrides: text('overrides'),
  preview: text('preview').notNull(),
  origin: text('origin').notNull().default('client'),
  sentBy: text('sent_by'),
  state: text('state', { enum: ['queued', 'delivering', 'delivered', 'failed', 'cancelled'] })
    .notNull()
    .default('queued'),
  turnToken: uuid('turn_token'),
  attempts: integer('attempts').notNull().default(0),
  lastError: text('last_error'),
  availableAt: instant('available_at').notNull().defaultNow(),
  deliveredAt: instant('delivered_at'),
  createdAt: instant('created_at').notNull().defaultNow(),
})

export const sessionTurns = svc.table('session_turns', {
  turnToken: uuid('turn_token').primaryKey(),
  sessionId: uuid('session_id').notNull(),
  promptId: uuid('prompt_id'),
  messageId: text('message_id'),
  conversationId: text('conversation_id'),
  state: text('state', { enum: ['delivering', 'active', 'ended'] }).notNull(),
  endReason: text('end_reason', { enum: ['completed', 'failed', 'aborted', 'interrupted', 'undelivered'] }),
  startedAt: instant('started_at').notNull().defaultNow(),
  acceptedAt: instant('accepted_at'),
  endedAt: instant('ended_at'),
})

export const sessionLogs = svc.table('session_logs', {
  sessionId: uuid('session_id').primaryKey(),
  lastSeq: number('last_seq').notNull().default(0),
  firstSeq: number('first_seq').notNull().default(1),
  storedSeq: number('stored_seq').notNull().default(0),
})

export const sessionEvents = svc.table(
  'session_events',
  {
    sessionId: uuid('session_id').notNull(),
    seq: number('seq').notNull(),
    data: text('data').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.seq] })],
)

export const sessionMessages = svc.table(
  'session_messages',
  {
    sessionId: uuid('session_id').notNull(),
    messageId: text('message_id').notNull(),
    conversationId: text('conversation_id').notNull(),
    data: text('data').notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.messageId] })],
)

export const sessionParts = svc.table(
  'session_parts',
  {
    sessionId: uuid('session_id').notNull(),
    messageId: text('message_id').notNull(),
    partId: text('part_id').notNull(),
    data: text('data').notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.messageId, table.partId] })],
)

export const sessionQuestions = svc.table(
  'session_questions',
  {
    sessionId: uuid('session_id').notNull(),
    requestId: text('request_id').notNull(),
    kind: text('kind', { enum: ['question', 'permission'] })
      .notNull()
      .default('question'),
    data: text('data').notNull(),
    state: text('state', { enum: ['asked', 'answered', 'rejected'] })
      .notNull()
      .default('asked'),
    askedAt: instant('asked_at').notNull().defaultNow(),
    resolvedAt: instant('resolved_at'),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.requestId] })],
)

export const sessionPublicShares = svc.table('session_public_shares', {
  shareId: uuid('share_id').primaryKey(),
  sessionId: uuid('session_id').notNull(),
  projectId: uuid('project_id').notNull(),
  accountId: uuid('account_id').notNull(),
  resourceType: text('resource_type', { enum: ['preview', 'file'] }).notNull(),
  label: text('label').notNull(),
  port: integer('port'),
  path: text('path').notNull(),
  filePath: text('file_path'),
  mode: text('mode', { enum: ['view', 'interactive'] }).notNull(),
  transcript: boolean('transcript').notNull().default(false),
  tokenHash: text('token_hash').notNull().unique(),
  sealedToken: bytea('sealed_token').notNull(),
  createdBy: text('created_by'),
  expiresAt: instant('expires_at'),
  revokedAt: instant('revoked_at'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})
