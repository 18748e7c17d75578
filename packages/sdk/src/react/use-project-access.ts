'use client'
import type { ProjectAccessCalls, ProjectRole, ProjectSecretCalls } from '../client/project-access-calls.ts'
import type { ProjectHandle } from '../client/project-calls.ts'
import { useSvcPages } from './svc-pages.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

const onProject = <T>(projectId: MaybeId, use: (project: ProjectHandle) => Promise<T>): Promise<T> =>
  requireId(projectId, (id) => use(hookClient().project(id)))

/**
 * Who reaches a project, a page at a time, with `invite`, `update` and `revoke`. A change also asks again what may be done.
 *
 * @example
 * const { data, invite } = useProjectAccess(projectId)
 */
export function useProjectAccess(projectId: MaybeId) {
  const key = svcKey('project', projectId, 'access')
  const query = useSvcPages(
    key,
    'inventory',
    projectId ? (client, cursor) => client.project(projectId).access.list({ cursor }) : null,
    joinMembers,
  )
  const stale = [key, svcKey('can')]
  const invite = useSvcMutation(
    ({ email, role, expiresAt }: { email: string; role: ProjectRole; expiresAt?: string | null }) =>
      onProject(projectId, ({ access }) => access.invite(email, role, expiresAt)),
    ...stale,
  )
  const update = useSvcMutation(
    ({ userId, role, expiresAt }: { userId: string; role: ProjectRole; expiresAt?: string | null }) =>
      onProject(projectId, ({ access }) => access.update(userId, role, expiresAt)),
    ...stale,
  )
  const revoke = useSvcMutation(
    (userId: Parameters<ProjectAccessCalls['revoke']>[0]) =>
      onProject(projectId, ({ access }) => access.revoke(userId)),
    ...stale,
  )
  return { ...query, invite, update, revoke }
}

/**
 * The keys of a project, with `create` and `revoke`. `create.data.secret_key` is shown once.
 *
 * @example
 * const { data, create } = useProjectTokens(projectId)
 */
export function useProjectTokens(projectId: MaybeId) {
  const key = svcKey('project', projectId, 'tokens')
  const query = useSvcQuery(key, 'inventory', projectId ? () => hookClient().project(projectId).tokens.list() : null)
  const create = useSvcMutation(
    (input: { name?: string }) => onProject(projectId, ({ tokens }) => tokens.create(input)),
    key,
  )
  const revoke = useSvcMutation((tokenId: string) => onProject(projectId, ({ tokens }) => tokens.revoke(tokenId)), key)
  return { ...query, create, revoke }
}

/**
 * The secrets of a project (never their values), with `upsert`, `remove`, `setPersonal` and `removePersonal`.
 *
 * @example
 * const { data, upsert } = useProjectSecrets(projectId)
 */
export function useProjectSecrets(projectId: MaybeId) {
  const key = svcKey('project', projectId, 'secrets')
  const query = useSvcQuery(key, 'inventory', projectId ? () => hookClient().project(projectId).secrets.list() : null)
  const upsert = useSvcMutation(
    (input: Parameters<ProjectSecretCalls['upsert']>[0]) =>
      onProject(projectId, ({ secrets }) => secrets.upsert(input)),
    key,
  )
  const remove = useSvcMutation(
    (identifier: string) => onProject(projectId, ({ secrets }) => secrets.remove(identifier)),
    key,
  )
  const setPersonal = useSvcMutation(
    ({ name, value }: { name: string; value: string }) =>
      onProject(projectId, ({ secrets }) => secrets.setPersonal(name, value)),
    key,
  )
  const removePersonal = useSvcMutation(
    (name: string) => onProject(projectId, ({ secrets }) => secrets.removePersonal(name)),
    key,
  )
  return { ...query, upsert, remove, setPersonal, removePersonal }
}

type AccessPage = Awaited<ReturnType<ProjectAccessCalls['list']>>

function joinMembers(pages: readonly AccessPage[]): AccessPage {
  const [first] = pages
  if (!first) throw new Error('A list without a page.')
  return { ...first, members: pages.flatMap(({ members }) => members) }
}
