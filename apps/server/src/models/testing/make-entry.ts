import { newId } from '../../kernel/ids/index.ts'
import type { CallEntry } from '../ledger/call-entry.ts'

/** The row of a call that was answered, but for what a test cares about. */
export function makeEntry(change: Partial<CallEntry> = {}): CallEntry {
  return {
    call_id: newId(),
    account_id: newId(),
    project_id: newId(),
    session_id: null,
    agent_name: null,
    user_id: null,
    key_id: null,
    request_id: `req_${newId()}`,
    endpoint: 'chat',
    requested_model: 'm',
    resolved_model: 'm',
    provider: 'svc',
    status: 200,
    ok: true,
    error_code: null,
    error_message: null,
    latency_ms: 1,
    first_token_ms: null,
    attempts: 1,
    input_tokens: 1,
    output_tokens: 1,
    cached_tokens: 0,
    cache_write_tokens: 0,
    svc_micros: 0,
    provider_micros: 0,
    price_version: null,
    streaming: false,
    billing_mode: 'credits',
    details: {},
    created_at: new Date(0).toISOString(),
    ...change,
  }
}
