import type { operations } from '@svc/contract'
import { type Call, invalid, problem } from '../../kernel/http/index.ts'
import { costs, totalCost } from '../figures/store.ts'
import type { Parts } from '../parts.ts'
import { type CallRow, findCall, listCalls } from '../store.ts'
import { asArray, asObject, isObject } from '../wire/json.ts'

const defaultLimit = 50

export async function readLogs(parts: Parts, { projectId, query }: Call<typeof operations.modelUsage.logs>) {
  await parts.ledger.written()
  const { limit = defaultLimit, offset = 0, ok } = query
  const rows = await listCalls(parts.kernel.database.db, { projectId, ok, limit: limit + 1, offset })
  return { logs: rows.slice(0, limit).map(toLog), next_offset: rows.length > limit ? offset + limit : null }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

type LogCall = Call<typeof operations.modelUsage.log>

export async function readLog(parts: Parts, call: LogCall) {
  const { projectId, params } = call
  await parts.ledger.written()
  const isOfLog = uuid.test(params.logId)
  if (!isOfLog && !/^req_/.test(params.logId)) {
    throw invalid([{ path: 'logId', message: 'must be the id of a log row or of a request (req_…)' }])
  }
  const by = isOfLog ? { callId: params.logId } : { requestId: params.logId }
  const row = await findCall(parts.kernel.database.db, projectId, by)
  if (!row) throw problem('not_found')
  const { attempt_failures, ...metadata } = row.details
  const { accountId, callId } = row
  const mayRead = await mayReadContent(call, row)
  const { request, response } = mayRead ? await parts.prompts.read({ callId, accountId, projectId }) : notShown
  return {
    ...toLog(row),
    candidates_tried: asArray(attempt_failures).map(asObject),
    request: isObject(request) ? request : null,
    response: isObject(response) ? response : null,
    metadata: { ...metadata, endpoint: row.endpoint, agent_name: row.agentName },
  }
}

const notShown = { request: null, response: null }

/**
 * What everybody spent is for every member, what was said is not: sessions are private. So it is for whoever made the
 * call, for the session's own agent, and for those who decide whether it is kept.
 */
async function mayReadContent(call: LogCall, { userId, sessionId }: CallRow): Promise<boolean> {
  const { principal } = call
  if (principal.sessionId !== undefined) return principal.sessionId === sessionId
  const isOwn = principal.kind === 'user' && principal.agentGrant === undefined && principal.id === userId
  return isOwn || call.can('project.customize.write')
}

function toLog(row: CallRow) {
  const money = { svc_micros: row.svcMicros, provider_micros: row.providerMicros }
  return {
    log_id: row.callId,
    request_id: row.requestId,
    created_at: row.createdAt.toISOString(),
    requested_model: row.requestedModel,
    resolved_model: row.resolvedModel,
    provider: row.provider,
    status: row.status,
    ok: row.ok,
    error_code: row.errorCode,
    error_message: row.errorMessage,
    latency_ms: row.latencyMs,
    first_token_ms: row.firstTokenMs,
    attempts: row.attempts,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    cached_tokens: row.cachedTokens,
    cache_write_tokens: row.cacheWriteTokens,
    ...costs(money),
    total_cost: totalCost(money),
    price_version: row.priceVersion,
    streaming: row.streaming,
    billing_mode: row.billingMode,
    actor_user_id: row.userId,
    key_id: row.keyId,
    session_id: row.sessionId,
  }
}
