import { costs, sumSession, sumSessionModels, totalCost } from '../figures/store.ts'
import type { Sums } from '../ledger/sums.ts'
import type { Parts } from '../parts.ts'
import { listSessionCalls } from '../store.ts'

const maxEntries = 500

/** What the models of a session have cost: sums and the entries they are made of, from one ledger. */
export async function readSessionCost(parts: Parts, sessionId: string) {
  await parts.ledger.written()
  const { sql, db } = parts.kernel.database
  const [sums, models, calls] = await Promise.all([
    sumSession(sql, sessionId),
    sumSessionModels(sql, sessionId),
    listSessionCalls(db, sessionId, maxEntries),
  ])
  return {
    summary: { ...describeSums(sums), model_count: models.length },
    model_usage: models.map((row) => {
      const space = row.detail.indexOf(' ')
      return {
        provider: row.detail.slice(0, space),
        model: row.detail.slice(space + 1),
        ...countsOf(row),
        cost: totalCost(row),
        last_at: (row.last_at ?? new Date(0)).toISOString(),
      }
    }),
    ledger_entries: calls.map((row) => ({
      kind: 'llm' as const,
      id: row.callId,
      occurred_at: row.createdAt.toISOString(),
      cost: totalCost({ svc_micros: row.svcMicros, provider_micros: row.providerMicros }),
      provider: row.provider,
      model: row.resolvedModel,
      request_id: row.requestId,
      status: row.status,
      ok: row.ok,
      input_tokens: row.inputTokens,
      output_tokens: row.outputTokens,
      cached_tokens: row.cachedTokens,
      cache_write_tokens: row.cacheWriteTokens,
    })),
  }
}

export type SessionCost = Awaited<ReturnType<typeof readSessionCost>>

export function describeSums(sums: Sums | undefined) {
  const money = sums ?? { svc_micros: 0, provider_micros: 0 }
  const { svc_cost, provider_cost } = costs(money)
  return {
    llm_cost: totalCost(money),
    llm_svc_cost: svc_cost,
    llm_provider_cost: provider_cost,
    compute_cost: 0,
    total_cost: totalCost(money),
    ...countsOf(sums),
    compute_seconds: 0,
  }
}

function countsOf(sums: Sums | undefined) {
  return {
    request_count: sums?.requests ?? 0,
    error_count: sums?.errors ?? 0,
    input_tokens: sums?.input_tokens ?? 0,
    output_tokens: sums?.output_tokens ?? 0,
    cached_tokens: sums?.cached_tokens ?? 0,
    cache_write_tokens: sums?.cache_write_tokens ?? 0,
  }
}
