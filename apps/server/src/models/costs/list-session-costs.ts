import { operations } from '@svc/contract'
import { type Call, invalid, problem } from '../../kernel/http/index.ts'
import { totalCost } from '../figures/store.ts'
import type { Parts } from '../parts.ts'
import { describeSums } from './session-cost.ts'
import {
  type Asked,
  countSessions,
  describeWindow,
  listProjectIds,
  listSessionCosts,
  sumWithoutSession,
} from './store.ts'

const { sessionCosts, exportSessionCosts } = operations.modelUsage

export type CostsCall = Call<typeof sessionCosts> | Call<typeof exportSessionCosts>

const dayMs = 86_400_000
const defaultDays = 30
const maxDays = 366
const defaultLimit = 25

/** What sessions have cost, from the same ledger as their own pages. */
export async function listCosts(parts: Parts, call: CostsCall, usualLimit = defaultLimit) {
  const { limit = usualLimit, offset = 0, sort = 'total_desc', owner_id } = call.query
  const projectIds = await readableProjects(parts, call)
  await parts.ledger.written()
  const { sql } = parts.kernel.database
  const asked: Asked = { projectIds, ownerId: owner_id, window: readWindow(parts, call), sort, limit, offset }
  const [rows, total, apart] = await Promise.all([
    listSessionCosts(sql, asked),
    countSessions(sql, asked),
    sumWithoutSession(sql, asked),
  ])
  return {
    sessions: rows.map((row) => ({
      session_id: row.session_id,
      project_id: row.project_id,
      project_name: row.project_name,
      owner_id: row.owner_id,
      owner_type: row.owner_type,
      owner_name: row.owner_name,
      owner_email: row.owner_email,
      status: row.status,
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
      last_activity_at: row.last_activity_at?.toISOString() ?? null,
      ...describeSums(row),
      model_count: row.models,
    })),
    total,
    limit,
    offset,
    next_offset: offset + rows.length < total ? offset + limit : null,
    reconciliation: {
      llm_cost: totalCost(apart),
      compute_cost: 0,
      total_cost: totalCost(apart),
      request_count: apart.requests,
      compute_window_count: 0,
      compute_seconds: 0,
    },
  }
}

/** Of an account those projects whose spend the caller may see; a project alone asks for no right in its account. */
async function readableProjects(parts: Parts, call: CostsCall): Promise<string[]> {
  const { account_id, project_id } = call.query
  if (project_id !== undefined && account_id === undefined) {
    await call.require('project.gateway.spend.read', { projectId: project_id })
    return [project_id]
  }
  await call.require('billing.read', { accountId: call.accountId })
  const own = await listProjectIds(parts.kernel.database.sql, call.accountId)
  if (project_id !== undefined && !own.includes(project_id)) throw problem('not_found')
  const asked = project_id === undefined ? own : [project_id]
  const readable = await Promise.all(
    asked.map(async (projectId) => ((await call.can('project.gateway.spend.read', { projectId })) ? [projectId] : [])),
  )
  return readable.flat()
}

/** Without bounds: the last thirty days up to now, today included. */
function readWindow({ kernel }: Parts, { query }: CostsCall) {
  const tomorrow = (Math.floor(kernel.clock.nowMs() / dayMs) + 1) * dayMs
  const to = query.to === undefined ? tomorrow : Date.parse(query.to)
  const from = query.from === undefined ? to - defaultDays * dayMs : Date.parse(query.from)
  if (from >= to) throw invalid([{ path: 'from', message: 'must be before `to`' }])
  if (to - from > maxDays * dayMs)
    throw invalid([{ path: 'from', message: `must be at most ${maxDays} days before \`to\`` }])
  return describeWindow(new Date(from), new Date(to))
}
