import { firstText, isRecord, readFinite, readString, toList, toRecord } from '../wire/read-value.ts'
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
  if (level === undefined) return undefined
  return { message: readErrorText(level) ?? unwrapError(raw), ...readDetails(level) }
}

function findLevel(raw: unknown, depth: number): Record<string, unknown> | undefined {
  if (depth > MAX_DEPTH) return undefined
  if (typeof raw === 'string') return findLevel(parseErrorText(raw)?.value, depth + MAX_DEPTH / 2)
  if (!isRecord(raw)) return undefined
  if (Object.keys(readDetails(raw)).length > 0) return raw
  const nested = [raw.error, readString(toRecord(raw.data).responseBody), toRecord(raw.cause).body]
  for (const candidate of nested) {
    const level = findLevel(candidate, depth + 1)
    if (level) return level
  }
  return undefined
}

function readDetails(level: Record<string, unknown>): Omit<GatewayErrorDetails, 'message'> {
  const provider = firstText(level.provider)
  const code = firstText(level.code)
  const suggestion = firstText(level.suggestion)
  const upstreamStatus = readFinite(level.upstream_status)
  const requestId = firstText(level.request_id)
  return {
    ...(provider !== undefined && { provider }),
    ...(code !== undefined && { code }),
    ...(suggestion !== undefined && { suggestion }),
    ...(upstreamStatus !== undefined && { upstreamStatus }),
    ...(requestId !== undefined && { requestId }),
    ...(Array.isArray(level.attempt_failures) && { attemptFailures: readFailures(level.attempt_failures) }),
  }
}

function readFailures(rows: unknown): AttemptFailure[] {
  return toList(rows).flatMap((row) => readFailure(toRecord(row)) ?? [])
}

/** One row, or undefined when a field is missing or out of range: a half row would mislead more than none. */
function readFailure(row: Record<string, unknown>): AttemptFailure | undefined {
  const { attempt, status } = row
  const provider = firstText(row.provider)
  const routeModel = firstText(row.route_model)
  const resolvedModel = firstText(row.resolved_model)
  const stage = firstText(row.stage)
  const message = firstText(row.message)
  const code = readString(row.code) ?? readFinite(row.code)
  if (typeof attempt !== 'number' || !Number.isInteger(attempt) || attempt < 1) return undefined
  if (!provider || !routeModel || !resolvedModel || !stage || !message || code === undefined) return undefined
  const base = { attempt, provider, routeModel, resolvedModel, stage, code, message }
  if (status === undefined || status === null) return base
  const inRange = typeof status === 'number' && Number.isInteger(status) && status >= 100 && status <= 599
  return inRange ? { ...base, status } : undefined
}
