import type { operations } from '@svc/contract'
import { type Call, invalid, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { sumByMember, sumProject, totalCost } from '../figures/store.ts'
import { periodStart } from '../ledger/periods.ts'
import type { Parts } from '../parts.ts'
import { deleteBudget, listBudgets, putBudget } from '../store.ts'
import { readSpent, startPeriod } from './store.ts'

export async function readBudgets(parts: Parts, projectId: string) {
  await parts.ledger.written()
  const { sql, db } = parts.kernel.database
  const now = parts.kernel.clock.now()
  const month = periodStart('month', now).toISOString().slice(0, 10)
  const [spend, members, budgets] = await Promise.all([
    sumProject(sql, projectId, month),
    sumByMember(sql, projectId, month),
    listBudgets(db, projectId),
  ])
  const spent = await readSpent(
    sql,
    budgets.map(({ budgetId, period }) => ({ budgetId, start: periodStart(period, now) })),
  )
  return {
    project_spend: { requests: spend?.requests ?? 0, cost: spend ? totalCost(spend) : 0 },
    budgets: budgets.map((budget) => ({
      budget_id: budget.budgetId,
      scope: budget.scope,
      subject_user_id: budget.scope === 'member' ? budget.subject : null,
      subject_id: budget.scope === 'member' || budget.scope === 'project' ? null : budget.subject,
      limit_usd: budget.limitMicros / 1e6,
      period: budget.period,
      action: budget.action,
      spent_usd: (spent.get(budget.budgetId) ?? 0) / 1e6,
    })),
    members: members.map((row) => ({
      user_id: row.subject,
      email: row.email,
      requests: row.requests,
      cost: totalCost(row),
      tokens: row.input_tokens + row.output_tokens,
    })),
  }
}

/** One budget for each subject of a scope; what its period has cost already counts from the start. */
export async function setBudget(parts: Parts, call: Call<typeof operations.modelUsage.setBudget>) {
  const { scope, subject_user_id, subject_id, limit_usd, period = 'month', action = 'block' } = call.body
  const { projectId, accountId } = call
  const subject = scope === 'project' ? '' : scope === 'member' ? subject_user_id : subject_id
  if (subject === undefined || subject === null) {
    const path = scope === 'member' ? 'subject_user_id' : 'subject_id'
    throw invalid([{ path, message: `a budget of scope ${scope} needs its subject` }])
  }
  const limitMicros = Math.max(1, Math.floor(limit_usd * 1e6 + 1e-6))
  await parts.ledger.written()
  await parts.kernel.database.transact(call.actor, async (tx) => {
    const row = { budgetId: newId(), accountId, projectId, scope, subject, limitMicros, period, action }
    const budget = await putBudget(tx.db, row)
    await startPeriod(tx.db, budget, periodStart(period, parts.kernel.clock.now()))
    await tx.audit({
      action: 'gateway.budget_set',
      resourceType: 'project',
      resourceId: projectId,
      metadata: { scope, subject, limit_usd, period, budget_action: action },
    })
  })
  parts.snapshots.forget(projectId)
  return { ok: true as const }
}

export async function removeBudget(parts: Parts, call: Call<typeof operations.modelUsage.deleteBudget>) {
  const { projectId, params } = call
  await parts.kernel.database.transact(call.actor, async (tx) => {
    if (!(await deleteBudget(tx.db, projectId, params.budgetId))) throw problem('not_found')
    await tx.audit({
      action: 'gateway.budget_removed',
      resourceType: 'project',
      resourceId: projectId,
      metadata: { budget_id: params.budgetId },
    })
  })
  parts.snapshots.forget(projectId)
  return { ok: true as const }
}
