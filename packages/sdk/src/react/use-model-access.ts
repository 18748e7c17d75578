'use client'
import type { ProjectListCalls } from '../client/project-calls.ts'
import type { ModelDefaultCalls } from '../client/project-gateway-calls.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

/**
 * Which models and providers a project may use. The policy on the screen changes once the service has confirmed the
 * change, and the models to choose from are read again with it.
 *
 * @example
 * const { data, setEnabled, isUpdating } = useModelAccess(projectId)
 * await setEnabled({ target: 'provider', id: 'openai', enabled: false })
 */
export function useModelAccess(projectId: MaybeId) {
  const key = svcKey('project', projectId, 'model-access')
  const read = projectId ? () => hookClient().projects.modelAccess(projectId) : null
  const { data, isLoading, error } = useSvcQuery(key, 'config', read)
  const change = useSvcMutation(
    (input: Parameters<ProjectListCalls['setModelAccess']>[1]) =>
      requireId(projectId, (id) => hookClient().projects.setModelAccess(id, input)),
    key,
    svcKey('project', projectId, 'models'),
  )
  const [provider, model] = data?.defaultModel?.split('/', 2) ?? []
  return {
    data,
    /** Who serves the default model; undefined while there is none. */
    defaultProvider: model ? provider : undefined,
    isLoading,
    error: error ?? change.error,
    isUpdating: change.isPending,
    setEnabled: change.mutateAsync,
  }
}

/**
 * The models that answer unless one is chosen: for the account, for single agents and for the project, with `set` and
 * `clear`.
 *
 * @example
 * const { data: defaults, set, clear } = useModelDefaults(projectId)
 * set.mutate({ scope: 'project', model: 'openai/gpt-5' })
 */
export function useModelDefaults(projectId: MaybeId) {
  const key = svcKey('project', projectId, 'model-defaults')
  const read = projectId ? () => hookClient().project(projectId).modelDefaults.get() : null
  const on = <T>(use: (defaults: ModelDefaultCalls) => Promise<T>) =>
    requireId(projectId, (id) => use(hookClient().project(id).modelDefaults))
  const stale = [key, svcKey('project', projectId, 'models'), svcKey('project', projectId, 'model-access')]
  return {
    ...useSvcQuery(key, 'config', read),
    set: useSvcMutation((input: Parameters<ModelDefaultCalls['set']>[0]) => on((calls) => calls.set(input)), ...stale),
    clear: useSvcMutation(
      (scope: Parameters<ModelDefaultCalls['clear']>[0]) => on((calls) => calls.clear(scope)),
      ...stale,
    ),
  }
}
