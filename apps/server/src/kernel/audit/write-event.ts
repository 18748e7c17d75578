import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import type { Actor } from '../actor.ts'
import { redactLabel, redactValue, type Stored } from './redact.ts'
import type { auditEvents } from './schema.ts'

type AuditRow = typeof auditEvents.$inferInsert

/** What happened. Who did it and in which request comes from the actor; any field here wins over the actor's. */
export type AuditEventInput = Partial<Omit<AuditRow, 'eventId'>> & { readonly action: string }

type Empty = Record<string, never>
type Writer = Pick<PgDatabase<NodePgQueryResultHKT, Empty>, 'execute'>

/**
 * Writes with the caller's transaction, so the event stands exactly when the change it describes stands. Nothing is
 * stored that `redact.ts` does not let through.
 */
export async function writeEvent(db: Writer, actor: Actor, event: AuditEventInput): Promise<string> {
  const row = toRow(actor, event)
  await writeRows(db, [row])
  return row.event_id
}

export type StorableRow = { readonly event_id: string } & { readonly [column: string]: Stored }

/** The row of an event, by its columns' names and fit to be stored. */
export function toRow(actor: Actor, event: AuditEventInput): StorableRow {
  // What is written inside a transaction that commits has succeeded, unless it says otherwise.
  const outcome = event.outcome ?? 'success'
  const labels = {
    actor_user_id: chosen(event.actorUserId, actor.userId),
    actor_type: chosen(event.actorType, actor.type),
    agent_id: chosen(event.agentId, actor.agentId),
    agent_name: chosen(event.agentName, actor.agentName),
    initiator_actor_type: chosen(event.initiatorActorType, actor.initiatorType),
    initiator_actor_id: chosen(event.initiatorActorId, actor.initiatorId),
    source: chosen(event.source, actor.source),
    client_reported_source: chosen(event.clientReportedSource, actor.clientReportedSource),
    outcome,
    action: event.action,
    phase: event.phase ?? phases[outcome],
    resource_type: event.resourceType,
    resource_id: event.resourceId,
    request_id: chosen(event.requestId, actor.requestId),
    trace_id: chosen(event.traceId, actor.traceId),
    correlation_id: chosen(event.correlationId, actor.correlationId),
    causation_id: event.causationId,
    turn_id: event.turnId,
    message_id: event.messageId,
    tool_call_id: event.toolCallId,
    execution_id: event.executionId,
    input_sha256: event.inputSha256,
    output_sha256: event.outputSha256,
    error_code: event.errorCode,
    ip: chosen(event.ip, actor.ip),
    user_agent: chosen(event.userAgent, actor.userAgent),
  }
  const documents = {
    input_summary: event.inputSummary,
    output_summary: event.outputSummary,
    before: event.before,
    after: event.after,
    metadata: event.metadata,
  }
  return {
    event_id: randomUUID(),
    ...(event.occurredAt ? { occurred_at: event.occurredAt.toISOString() } : {}),
    account_id: chosen(event.accountId, actor.accountId),
    project_id: chosen(event.projectId, actor.projectId),
    session_id: chosen(event.sessionId, actor.sessionId),
    http_status: event.httpStatus ?? null,
    duration_ms: event.durationMs ?? null,
    parent_event_id: event.parentEventId ?? null,
    delegation_depth: event.delegationDepth ?? null,
    session_sequence: event.sessionSequence ?? null,
    ...mapPresent(labels, redactLabel),
    ...mapPresent(documents, redactValue),
  }
}

const phases: Readonly<Record<string, string>> = {
  success: 'completed',
  failure: 'failed',
  denied: 'denied',
  pending: 'pending',
}

/** `null` says that the event belongs to none, although its actor does. */
function chosen(own: string | null | undefined, fallback: string | undefined): string | null {
  return own === undefined ? (fallback ?? null) : own
}

function mapPresent<Value>(
  fields: Readonly<Record<string, Value | null | undefined>>,
  change: (value: Value) => Stored,
): Record<string, Stored> {
  const kept: Record<string, Stored> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value !== null && value !== undefined) kept[name] = change(value)
  }
  return kept
}

/**
 * One statement for any number of events. One that is stored already is left as it is, so a repeat is safe. A function of
 * the database does it, because planning an insert of forty columns costs more than the insert, and its plan is kept.
 */
export async function writeRows(db: Writer, rows: readonly StorableRow[]): Promise<void> {
  await db.execute(sql`select svc.write_audit_events(${JSON.stringify(rows)}::jsonb)`)
}
