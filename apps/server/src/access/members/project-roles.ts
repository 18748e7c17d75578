import type { Sql } from '../../kernel/database/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import { isActive } from '../engine/facts.ts'
import type { FactsSource } from '../facts-source.ts'
import { listActiveProjectIds } from '../store/projects.ts'

export type ProjectRoleName = 'manager' | 'member'
export const projectRoleIds = { manager: 'builtin:manager', member: 'builtin:user' } as const

/** How somebody stands in a project, as project records and access lists show it. A label: decisions are the engine's. */
export interface EffectiveProjectRole {
  /** Assigned to the user directly. */
  readonly direct: ProjectRoleName | null
  readonly effective: ProjectRoleName | null
  readonly source: 'implicit' | 'direct' | 'group' | null
}

export async function readEffectiveProjectRole(
  facts: FactsSource,
  userId: string,
  projectId: string,
): Promise<EffectiveProjectRole> {
  const project = await facts.project(projectId)
  if (!project) return { direct: null, effective: null, source: null }
  const holdings = await facts.holdings('user', userId, project.accountId)
  const now = facts.nowMs()
  const roles = (holdings.byProject.get(projectId) ?? []).filter((held) => held.isSystem && isActive(held, now))
  const directHeld = roles.find((held) => held.groupId === undefined)
  const direct = directHeld ? nameOf(directHeld.roleKey) : null
  const implicit = holdings.atAccount.some(
    (held) => isActive(held, now) && (held.accountRole === 'owner' || held.accountRole === 'admin'),
  )
  if (implicit) return { direct, effective: 'manager', source: 'implicit' }
  const strongest = roles.find((held) => nameOf(held.roleKey) === 'manager') ?? roles[0]
  if (!strongest) return { direct, effective: null, source: null }
  return {
    direct,
    effective: nameOf(strongest.roleKey),
    source: strongest.groupId === undefined ? 'direct' : 'group',
  }
}

function nameOf(roleKey: string): ProjectRoleName {
  return roleKey === 'manager' ? 'manager' : 'member'
}

/**
 * The active projects of an account that the principal may read. Asks the engine about each candidate: all projects for
 * somebody who may read them all, otherwise only those where something is assigned.
 */
export async function listAccessibleProjects(
  sql: Sql,
  facts: FactsSource,
  principal: Principal,
  accountId: string,
): Promise<string[]> {
  const candidates = await listCandidates(sql, facts, principal, accountId)
  const readable: string[] = []
  for (const projectId of candidates) {
    const { allowed } = await facts.decide(principal, 'project.read', { projectId })
    if (allowed) readable.push(projectId)
  }
  return readable
}

async function listCandidates(
  sql: Sql,
  facts: FactsSource,
  principal: Principal,
  accountId: string,
): Promise<string[]> {
  if (principal.boundProjectId !== undefined) return [principal.boundProjectId]
  if (principal.kind === 'anonymous') return []
  const holdings = await facts.holdings(principal.kind, principal.id, accountId)
  const now = facts.nowMs()
  const readsAll = holdings.atAccount.some(
    (held) =>
      isActive(held, now) &&
      (held.accountRole === 'owner' || held.accountRole === 'admin' || held.actions.has('project.read')),
  )
  if (!readsAll) return [...holdings.byProject.keys()]
  return listActiveProjectIds(sql, accountId)
}
