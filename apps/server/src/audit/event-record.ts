import { createHash } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'

/** Columns of an event beside its id and time, by the names they have on the wire, in the order of an export. */
export const eventColumns = [
  'account_id',
  'project_id',
  'session_id',
  'actor_user_id',
  'actor_type',
  'agent_id',
  'agent_name',
  'initiator_actor_type',
  'initiator_actor_id',
  'source',
  'client_reported_source',
  'outcome',
  'action',
  'phase',
  'resource_type',
  'resource_id',
  'http_status',
  'duration_ms',
  'request_id',
  'trace_id',
  'correlation_id',
  'causation_id',
  'parent_event_id',
  'delegation_depth',
  'turn_id',
  'message_id',
  'tool_call_id',
  'execution_id',
  'session_sequence',
  'input_summary',
  'output_summary',
  'input_sha256',
  'output_sha256',
  'error_code',
  'before',
  'after',
  'ip',
  'user_agent',
  'metadata',
] as const

/** The columns of an export. Scripts that verify one know them too: `scripts/audit-verify.mjs`. */
export const exportColumns = ['event_id', 'occurred_at', 'sequence', 'previous_hash', 'hash', ...eventColumns] as const

type Column = (typeof eventColumns)[number]
type NumberColumn = 'http_status' | 'duration_ms' | 'delegation_depth' | 'session_sequence'
type DocumentColumn = 'input_summary' | 'output_summary' | 'before' | 'after'

type EventFields = { readonly [Name in Exclude<Column, NumberColumn | DocumentColumn | 'metadata'>]: string | null } & {
  readonly [Name in NumberColumn]: number | null
} & { readonly [Name in DocumentColumn]: unknown } & { readonly metadata: Readonly<Record<string, unknown>> }

/** An event as the store gives it, before it is sealed. */
export type StoredEvent = EventFields & { readonly event_id: string; readonly occurred_at: Date }

/** An event's place in the chain of its account. */
export interface Seal {
  readonly sequence: number
  readonly previous_hash: string
  readonly hash: string
}

/** An event as clients, exports and webhooks get it. */
export type EventRecord = EventFields & Seal & { readonly event_id: string; readonly occurred_at: string }

/** What the first event of a chain has in place of the hash before it. */
export const firstPreviousHash = '0'.repeat(64)

/** The instance's own chain, for events that belong to no account. */
export const instanceChainId = '00000000-0000-0000-0000-000000000000'

export function sealEvent(event: StoredEvent, sequence: number, previousHash: string): EventRecord {
  const unhashed = { ...toRecord(event, { sequence, previous_hash: previousHash, hash: '' }), hash: undefined }
  return { ...unhashed, hash: hashRecord(unhashed) }
}

/** SHA-256 of the canonical JSON of everything but the hash itself. */
export function hashRecord(record: object): string {
  const content = canonicalJson({ ...record, hash: undefined })
  return createHash('sha256').update(content).digest('hex')
}

export function toRecord(event: StoredEvent, seal: Seal): EventRecord {
  const { event_id, occurred_at, session_sequence } = event
  return {
    ...event,
    event_id,
    occurred_at: occurred_at.toISOString(),
    ...seal,
    session_sequence: session_sequence === null ? null : Number(session_sequence),
  }
}
