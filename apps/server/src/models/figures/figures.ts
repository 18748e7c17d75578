import { latencyOfBucket } from '../ledger/store/write-calls.ts'
import { noSums } from '../ledger/sums.ts'
import type { Parts } from '../parts.ts'
import * as store from './store.ts'

const dayMs = 86_400_000
const defaultDays = 30

/** The first day of a window that ends today, in UTC. */
function firstDay({ kernel }: Parts, days: number): string {
  return new Date(kernel.clock.nowMs() - (days - 1) * dayMs).toISOString().slice(0, 10)
}

interface Question {
  readonly projectId: string
  readonly query: { readonly days?: number | undefined }
}

/** What was called a moment ago counts already. */
async function prepare(parts: Parts, { query }: Question) {
  await parts.ledger.written()
  const days = query.days ?? defaultDays
  return { sql: parts.kernel.database.sql, days, since: firstDay(parts, days) }
}

export async function readOverview(parts: Parts, question: Question) {
  const { sql, days, since } = await prepare(parts, question)
  const row = (await store.sumProject(sql, question.projectId, since)) ?? noSums
  return {
    window_days: days,
    requests: row.requests,
    errors: row.errors,
    total_cost: store.totalCost(row),
    ...store.costs(row),
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
  }
}

export async function readSeries(parts: Parts, question: Question) {
  const { sql, days, since } = await prepare(parts, question)
  const [rows, latencies] = await Promise.all([
    store.sumByDay(sql, question.projectId, since),
    store.countLatencies(sql, question.projectId, since),
  ])
  const byDay = new Map(rows.map((row) => [row.day, row]))
  const first = Date.parse(since)
  const series = Array.from({ length: days }, (_, at) => {
    const day = new Date(first + at * dayMs).toISOString().slice(0, 10)
    const row = byDay.get(day) ?? noSums
    const counts = latencies.filter((count) => count.day === day)
    return {
      day,
      requests: row.requests,
      errors: row.errors,
      cost: store.totalCost(row),
      ...store.costs(row),
      input_tokens: row.input_tokens,
      output_tokens: row.output_tokens,
      p50: percentile(counts, 0.5),
      p95: percentile(counts, 0.95),
      p99: percentile(counts, 0.99),
    }
  })
  return { window_days: days, series }
}

export async function readBreakdown(parts: Parts, question: Question) {
  const { sql, days, since } = await prepare(parts, question)
  const rows = await store.sumByModel(sql, question.projectId, since)
  const models = rows.map((row) => ({
    model: row.subject,
    provider: row.detail,
    requests: row.requests,
    errors: row.errors,
    cost: store.totalCost(row),
    ...store.costs(row),
    tokens: row.input_tokens + row.output_tokens,
  }))
  return { window_days: days, models }
}

export async function readSessions(parts: Parts, question: Question) {
  const { sql, days, since } = await prepare(parts, question)
  const rows = await store.sumBySession(sql, question.projectId, since)
  const sessions = rows.map((row) => ({
    session_id: row.subject,
    llm_cost: store.totalCost(row),
    compute_cost: 0,
    total_cost: store.totalCost(row),
    requests: row.requests,
    errors: row.errors,
    tokens: row.input_tokens + row.output_tokens,
    models: row.models,
    compute_seconds: 0,
    last_at: row.last_at?.toISOString() ?? null,
  }))
  return { window_days: days, sessions }
}

export async function readErrors(parts: Parts, question: Question) {
  const { sql, days, since } = await prepare(parts, question)
  return { window_days: days, errors: [...(await store.countErrors(sql, question.projectId, since))] }
}

/** Milliseconds; the counts come in the order of their buckets. */
function percentile(counts: readonly store.LatencyCount[], share: number): number {
  const total = counts.reduce((sum, { requests }) => sum + requests, 0)
  let seen = 0
  for (const { bucket, requests } of counts) {
    seen += requests
    if (seen >= total * share) return latencyOfBucket(bucket)
  }
  return 0
}
