import type { BillingMode } from '../resolve.ts'

/** One call as the log keeps it: names are the columns of `svc.model_calls`. */
export interface CallEntry {
  readonly call_id: string
  readonly account_id: string
  readonly project_id: string
  readonly session_id: string | null
  readonly agent_name: string | null
  readonly user_id: string | null
  readonly key_id: string | null
  readonly request_id: string
  readonly endpoint: string
  readonly requested_model: string
  readonly resolved_model: string
  readonly provider: string
  readonly status: number
  readonly ok: boolean
  readonly error_code: string | null
  readonly error_message: string | null
  readonly latency_ms: number
  readonly first_token_ms: number | null
  readonly attempts: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_tokens: number
  readonly cache_write_tokens: number
  readonly svc_micros: number
  readonly provider_micros: number
  readonly price_version: string | null
  readonly streaming: boolean
  readonly billing_mode: BillingMode | null
  readonly details: Readonly<Record<string, unknown>>
  readonly created_at: string
}

/** A budget that a call counts against, in the period it began in. */
export interface Charge {
  readonly budget_id: string
  readonly period_start: string
  /** Paid from what this node holds of it; otherwise it only counts. */
  readonly is_held: boolean
}

/** What is known of a call before it is forwarded: as if it had been lost at its worst case. */
export interface BegunCall {
  readonly entry: CallEntry
  readonly charges: readonly Charge[]
}

/** JSON in the database holds no zero byte and no half of a character. */
export function cleanText(text: string): string {
  if (!/[\0\ud800-\udfff]/.test(text)) return text
  return Buffer.from(text.replaceAll('\0', '')).toString('utf8')
}
