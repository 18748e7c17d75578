import { dropUndefined, firstText, isRecord, readFinite, readString, toRecord, toText } from '../wire/read-value.ts'
import { parseErrorText, readErrorText, unwrapError } from './unwrap-error.ts'

/** One model the gateway tried, and why it did not answer. */
export interface AttemptFailure {
  readonly attempt: number
  readonly provider: string
  readonly routeModel: string
  readonly resolvedModel: string
  readonly stage: string
  readonly status?: number
  readonly code: string | number
  readonly message: string
}

/** What the model gateway says about a failed call. */
export interface GatewayErrorDetails {
  readonly message: string
  readonly provider?: string
  readonly code?: string
  readonly suggestion?: string
  readonly upstreamStatus?: number
  readonly requestId?: string
  readonly attemptFailures?: AttemptFailure[]
}

/** Errors nest (body in error in cause); a chain deeper than this is not an error body of ours. */
const MAX_DEPTH = 6

/**
 * The model gateway's own account of a failure, wherever the error carries it: on itself, under `error`, in the reply
 * body, in the cause, or as JSON in a text. Undefined when there is none.
 *
 * @example
 * extractGatewayErrorDetails('{"error":{"message":"no key","provider":"acme","request_id":"req_1"}}')
 * // { message: 'no key', provider: 'acme', requestId: 'req_1' }
 */
export function extractGatewayErrorDetails(raw: unknown): GatewayErrorDetails | undefined {
  const level = findLevel(raw, 0)
  return level && { message: readErrorText(level) ?? unwrapError(raw), ...readDetails(level) }
}

function findLevel(raw: unknown, depth: number): Record<string, unknown> | undefined {
  if (depth > MAX_DEPTH) return undefined
  if (typeof raw === 'string') return findLevel(parseErrorText(raw)?.value, depth + MAX_DEPTH / 2)
  if (!isRecord(raw)) return undefined
  if (Object.keys(readDetails(raw)).length > 0) return raw
  return (
    findLevel(raw.error, depth + 1) ??
    findLevel(readString(toRecord(raw.data).responseBody), depth + 1) ??
    findLevel(toRecord(raw.cause).body, depth + 1)
  )
}

function readDetails(level: Record<string, unknown>) {
  const { attempt_failures: rows } = level
  return dropUndefined({
    provider: firstText(level.provider),
    code: firstText(level.code),
    suggestion: firstText(level.suggestion),
    upstreamStatus: readFinite(level.upstream_status),
    requestId: firstText(level.request_id),
    attemptFailures: Array.isArray(rows) ? rows.map(toRecord).flatMap(readFailure) : undefined,
  })
}

/** One row, or none when a field is missing or out of range: a half row would mislead more than none. */
function readFailure({ attempt, status: rawStatus, ...row }: Record<string, unknown>): AttemptFailure[] {
  const texts = {
    provider: toText(row.provider),
    routeModel: toText(row.route_model),
    resolvedModel: toText(row.resolved_model),
    stage: toText(row.stage),
    message: toText(row.message),
  }
  const code = readString(row.code) ?? readFinite(row.code)
  const status = rawStatus ?? undefined
  const isWhole = (value: unknown, least: number, most: number): value is number =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
  if (!isWhole(attempt, 1, Infinity) || !(status === undefined || isWhole(status, 100, 599))) return []
  if (!Object.values(texts).every(Boolean) || code === undefined) return []
  return [dropUndefined({ attempt, ...texts, status, code })]
}
