'use client'
import type { ProjectGatewayCalls } from '../client/project-gateway-calls.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

const onGateway = <T>(projectId: MaybeId, use: (gateway: ProjectGatewayCalls) => Promise<T>): Promise<T> =>
  requireId(projectId, (id) => use(hookClient().project(id).gateway))

/**
 * What a project's models were called for and what they cost: sums, days and models.
 *
 * @example
 * const { overview, series, breakdown } = useGatewayFigures(projectId, 30)
 */
export function useGatewayFigures(projectId: MaybeId, days: number) {
  const gateway = projectId ? hookClient().project(projectId).gateway : null
  const key = (part: string) => svcKey('project', projectId, 'gateway', part, days)
  return {
    overview: useSvcQuery(key('overview'), 'volatile', gateway && (() => gateway.overview(days))),
    series: useSvcQuery(key('series'), 'volatile', gateway && (() => gateway.series(days))),
    breakdown: useSvcQuery(key('breakdown'), 'volatile', gateway && (() => gateway.breakdown(days))),
  }
}

/**
 * Calls of models, newest first.
 *
 * @example
 * const { data } = useGatewayLogs(projectId, { limit: '50' })
 */
export function useGatewayLogs(projectId: MaybeId, options: Parameters<ProjectGatewayCalls['logs']>[0] = {}) {
  const read = projectId ? () => hookClient().project(projectId).gateway.logs(options) : null
  return useSvcQuery(svcKey('project', projectId, 'gateway', 'logs', options), 'volatile', read)
}

/**
 * What may be spent on models, with `set` and `remove`.
 *
 * @example
 * const { data, set } = useGatewayBudgets(projectId)
 */
export function useGatewayBudgets(projectId: MaybeId) {
  const key = svcKey('project', projectId, 'gateway', 'budgets')
  const read = projectId ? () => hookClient().project(projectId).gateway.budgets() : null
  return {
    ...useSvcQuery(key, 'volatile', read),
    set: useSvcMutation(
      (input: Parameters<ProjectGatewayCalls['setBudget']>[0]) =>
        onGateway(projectId, (gateway) => gateway.setBudget(input)),
      key,
    ),
    remove: useSvcMutation(
      (budgetId: string) => onGateway(projectId, (gateway) => gateway.deleteBudget(budgetId)),
      key,
    ),
  }
}

/**
 * Keys for programs that call models through the platform, with `create` and `revoke`. `create.data.secret_key` is
 * shown once.
 *
 * @example
 * const { data, create } = useGatewayKeys(projectId)
 */
export function useGatewayKeys(projectId: MaybeId) {
  const key = svcKey('project', projectId, 'gateway', 'keys')
  const read = projectId ? () => hookClient().project(projectId).gateway.keys() : null
  return {
    ...useSvcQuery(key, 'inventory', read),
    create: useSvcMutation((name: string) => onGateway(projectId, (gateway) => gateway.createKey(name)), key),
    revoke: useSvcMutation((keyId: string) => onGateway(projectId, (gateway) => gateway.revokeKey(keyId)), key),
  }
}
