'use client'
import type { RoutingCalls } from '../client/project-gateway-calls.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

/**
 * The models to choose from in a project, and which are switched on.
 *
 * @example
 * const { data } = useProjectModels(projectId)
 */
export function useProjectModels(projectId: MaybeId) {
  const read = projectId ? () => hookClient().project(projectId).modelPicker() : null
  return useSvcQuery(svcKey('project', projectId, 'models'), 'inventory', read)
}

/**
 * Which models answer for a project and which take over, with `set`, `reset` and `preview`. A preview calls no model.
 *
 * @example
 * const { data: routing, set, preview } = useGatewayRoutingPolicy(projectId)
 */
export function useGatewayRoutingPolicy(projectId: MaybeId) {
  const key = svcKey('project', projectId, 'gateway', 'routing')
  const read = projectId ? () => hookClient().project(projectId).gateway.routing.get() : null
  const on = <T>(use: (routing: RoutingCalls) => Promise<T>) =>
    requireId(projectId, (id) => use(hookClient().project(id).gateway.routing))
  const stale = [key, svcKey('project', projectId, 'models')]
  return {
    ...useSvcQuery(key, 'config', read),
    set: useSvcMutation((policy: Parameters<RoutingCalls['set']>[0]) => on((calls) => calls.set(policy)), ...stale),
    reset: useSvcMutation(() => on((calls) => calls.reset()), ...stale),
    preview: useSvcMutation((input: Parameters<RoutingCalls['preview']>[0]) => on((calls) => calls.preview(input))),
  }
}

/**
 * The earlier name of `useGatewayRoutingPolicy`.
 *
 * @example
 * const { data: routing } = useGatewayRouting(projectId)
 */
export function useGatewayRouting(projectId: MaybeId) {
  return useGatewayRoutingPolicy(projectId)
}
