'use client'
import type { ProjectFileCalls, ProjectHandle, ProjectListCalls } from '../client/project-calls.ts'
import type { FeatureFlagKey } from '../features/feature-flag-keys.ts'
import type { ProjectConfig } from '../generated/operations.ts'
import { useSvcPages } from './svc-pages.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

/**
 * The projects of an account (default: the caller's own), a page at a time, with `provision`.
 *
 * @example
 * const { data: projects, provision } = useProjects()
 */
export function useProjects(accountId?: MaybeId) {
  const query = useSvcPages(
    svcKey('projects', accountId ?? null),
    'inventory',
    ({ projects }, cursor) => projects.listForAccount(accountId ?? undefined, cursor),
    joinProjects,
  )
  const provision = useSvcMutation(
    (input: Parameters<ProjectListCalls['provision']>[0]) => hookClient().projects.provision(input),
    svcKey('projects'),
  )
  return { ...query, provision }
}

type Projects = Awaited<ReturnType<ProjectListCalls['list']>>
const joinProjects = (pages: readonly Projects[]): Projects => pages.flat()

/**
 * One project, with `update`, `archive` and `setFeatureFlag`.
 *
 * @example
 * const { data: project, update } = useProject(projectId)
 */
export function useProject(projectId: MaybeId) {
  const read = projectId ? () => hookClient().projects.get(projectId) : null
  const query = useSvcQuery(svcKey('project', projectId), 'config', read)
  const stale = [svcKey('project', projectId), svcKey('projects')]
  const update = useSvcMutation(
    (input: Parameters<ProjectHandle['update']>[0]) =>
      requireId(projectId, (id) => hookClient().projects.update(id, input)),
    ...stale,
  )
  const archive = useSvcMutation(
    (options: Parameters<ProjectHandle['archive']>[0]) =>
      requireId(projectId, (id) => hookClient().projects.archive(id, options)),
    ...stale,
  )
  const setFeatureFlag = useSvcMutation(
    ({ feature, enabled }: { feature: FeatureFlagKey; enabled: boolean | null }) =>
      requireId(projectId, (id) => hookClient().project(id).updateFeatureFlag(feature, enabled)),
    ...stale,
  )
  return { ...query, update, archive, setFeatureFlag }
}

/**
 * Whether a feature is on; only when the service said exactly so.
 *
 * @example
 * const { enabled } = useFeatureFlag(projectId, 'apps')
 */
export function useFeatureFlag(projectId: MaybeId, key: FeatureFlagKey): { enabled: boolean; isLoading: boolean } {
  const { data, isLoading } = useProject(projectId)
  return { enabled: data?.experimental?.[key] === true, isLoading }
}

/**
 * Agents, commands, skills and the default agent that the repository declares.
 *
 * @example
 * const { data: config } = useProjectConfig(projectId)
 */
export function useProjectConfig(projectId: MaybeId) {
  const read = projectId ? async () => (await hookClient().projects.detail(projectId)).config : null
  return useSvcQuery(svcKey('project', projectId, 'config'), 'config', read)
}

/**
 * The agents that a person may pick: neither hidden nor subagents.
 *
 * @example
 * const agents = useVisibleAgents({ projectId })
 */
export function useVisibleAgents({ projectId }: { readonly projectId?: MaybeId }): ProjectConfig['agents'] {
  const { data } = useProjectConfig(projectId)
  return (data?.agents ?? []).filter(
    ({ mode, enabled }) => mode !== 'subagent' && mode !== 'hidden' && enabled !== false,
  )
}

/**
 * The files of a project's repository.
 *
 * @example
 * const { data: files } = useProjectFiles(projectId, { path: 'src' })
 */
export function useProjectFiles(projectId: MaybeId, options: Parameters<ProjectFileCalls['list']>[0] = {}) {
  const read = projectId ? () => hookClient().project(projectId).files.list(options) : null
  return useSvcQuery(svcKey('project', projectId, 'files', options), 'inventory', read)
}

/**
 * One file of a project's repository, as text.
 *
 * @example
 * const { data: file } = useProjectFile(projectId, 'svc.yaml')
 */
export function useProjectFile(projectId: MaybeId, path: MaybeId, ref?: string) {
  const read = projectId && path ? () => hookClient().project(projectId).files.read(path, ref) : null
  return useSvcQuery(svcKey('project', projectId, 'files', 'content', path, ref ?? null), 'inventory', read)
}
