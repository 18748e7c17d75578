import { sql } from 'drizzle-orm'
import { bigint, index, integer, jsonb, pgSchema, text, timestamp, uuid } from 'drizzle-orm/pg-core'

const svc = pgSchema('svc')

/** Append-only: the database itself refuses to change or remove a row. Sequence and hash are sealed in another table. */
export const auditEvents = svc.table(
  'audit_events',
  {
    eventId: uuid('event_id').primaryKey(),
    /** Milliseconds, the precision of the cursor clients page with. */
    occurredAt: timestamp('occurred_at', { withTimezone: true, precision: 3 })
      .notNull()
      .default(sql`clock_timestamp()`),
    accountId: uuid('account_id'),
    /** The account, or the zero UUID for what belongs to none: the chain of hashes the event is a link of. */
    chainId: uuid('chain_id')
      .notNull()
      .generatedAlwaysAs(sql`coalesce(account_id, '00000000-0000-0000-0000-000000000000'::uuid)`),
    projectId: uuid('project_id'),
    sessionId: uuid('session_id'),
    actorUserId: text('actor_user_id'),
    actorType: text('actor_type'),
    agentId: text('agent_id'),
    agentName: text('agent_name'),
    initiatorActorType: text('initiator_actor_type'),
    initiatorActorId: text('initiator_actor_id'),
    source: text('source'),
    clientReportedSource: text('client_reported_source'),
    outcome: text('outcome'),
    action: text('action').notNull(),
    phase: text('phase'),
    resourceType: text('resource_type'),
    resourceId: text('resource_id'),
    httpStatus: integer('http_status'),
    durationMs: integer('duration_ms'),
    requestId: text('request_id'),
    traceId: text('trace_id'),
    correlationId: text('correlation_id'),
    causationId: text('causation_id'),
    parentEventId: uuid('parent_event_id'),
    delegationDepth: integer('delegation_depth'),
    turnId: text('turn_id'),
    messageId: text('message_id'),
    toolCallId: text('tool_call_id'),
    executionId: text('execution_id'),
    sessionSequence: bigint('session_sequence', { mode: 'number' }),
    inputSummary: jsonb('input_summary'),
    outputSummary: jsonb('output_summary'),
    inputSha256: text('input_sha256'),
    outputSha256: text('output_sha256'),
    errorCode: text('error_code'),
    before: jsonb('before'),
    after: jsonb('after'),
    ip: text('ip'),
    userAgent: text('user_agent'),
    metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
  },
  (table) => [
    index('audit_events_chain').on(table.chainId, table.occurredAt, table.eventId),
    index('audit_events_session').on(table.sessionId, table.occurredAt),
  ],
)
