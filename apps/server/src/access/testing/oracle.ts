import { permissionCatalog } from '@svc/contract'
import type { Scope } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { World, WorldAssignment } from './random-world.ts'

/**
 * The decision order once more, written from its text and by brute force over every row of the world. It shares no code
 * with the engine: two mistakes would have to agree.
 */
export function mayDo(world: World, principal: Principal, action: string, scope: Scope, now: Date): boolean {
  if (principal.kind === 'anonymous') return false
  if (principal.authType === 'oauth' && !(principal.scopes ?? []).includes('svc')) return false

  const isProjectAction = action.startsWith('project.') && action !== 'project.create'
  const project = world.projects.find(({ id }) => id === scope.projectId)
  const account = project ? project.account : scope.accountId
  const isAccountKey = principal.authType === 'pat' || principal.authType === 'service_account'
  if (isAccountKey && principal.homeAccountId !== account) return false

  const alive = world.assignments.filter((row) => row.account === account && !isOver(row, now))
  const acting = actAs(world, alive, principal, project?.id)
  if (acting.disabled) return false
  if (principal.boundProjectId !== undefined && (!isProjectAction || principal.boundProjectId !== project?.id)) {
    return false
  }
  const mine = alive.filter(
    (row) =>
      (row.principalType === acting.type && row.principalId === acting.id) ||
      (row.principalType === 'group' && acting.type === 'user' && isIn(world, row.principalId, acting.id)),
  )
  if (!isProjectAction) {
    if (principal.agentGrant || principal.sessionId !== undefined || principal.isAutomation) return false
    return mine.some((row) => row.project === null && holds(world, row.roleId, action))
  }
  if (!project || project.archived) return false

  const runsTheAccount = mine.some(({ project, roleId }) => project === null && isOwnerOrAdmin(roleId))
  const can = (wanted: string) =>
    acting.type === 'automation' ||
    runsTheAccount ||
    mine.some(
      (row) =>
        row.objectId === null &&
        (row.project === project.id || (row.project === null && !row.roleId.startsWith('builtin:'))) &&
        holds(world, row.roleId, wanted),
    )
  if (!can(action)) return false
  if (scope.object && acting.type !== 'automation' && !runsTheAccount) {
    const { type, id } = scope.object
    const naming = alive.filter((row) => row.project === project.id && row.objectType === type && row.objectId === id)
    const isEnforced = type === 'agent' || type === 'skill'
    if (isEnforced && naming.length > 0 && !naming.some((row) => mine.includes(row))) return false
    if (type === 'agent' && naming.length === 0 && !can('project.write')) return false
  }
  return grantAllows(principal, action)
}

function isOver(row: WorldAssignment, now: Date): boolean {
  return row.expiresAt !== null && row.expiresAt.getTime() <= now.getTime()
}

function actAs(
  world: World,
  alive: readonly WorldAssignment[],
  principal: Principal,
  projectId: string | undefined,
): { type: 'user' | 'service_account' | 'automation'; id: string; disabled: boolean } {
  const agent = principal.agentGrant?.agent
  const identity = world.serviceAccounts.find((one) => agent && one.agent === agent && one.project === projectId)
  const hasRole = alive.some(
    (row) => row.principalType === 'service_account' && row.principalId === identity?.id && row.objectId === null,
  )
  if (identity && hasRole) return { type: 'service_account', id: identity.id, disabled: identity.disabled }
  if (principal.isAutomation) return { type: 'automation', id: '', disabled: false }
  if (principal.kind !== 'service_account') return { type: 'user', id: principal.id, disabled: false }
  const own = world.serviceAccounts.find(({ id }) => id === principal.id)
  return { type: 'service_account', id: principal.id, disabled: own?.disabled ?? true }
}

function isIn(world: World, groupId: string, userId: string): boolean {
  return world.groups.some(({ id, members }) => id === groupId && members.includes(userId))
}

function isOwnerOrAdmin(roleId: string): boolean {
  return roleId === 'builtin:owner' || roleId === 'builtin:admin'
}

const projectMember =
  'project.read project.agent.read project.app.read project.command.read project.gateway.logs.read project.gateway.spend.read project.gitops.read project.members.read project.review.read project.review.submit project.session.read project.session.start project.session.stop project.trigger.read project.trigger.fire'.split(
    ' ',
  )
const accountMember = ['account.read', 'billing.read', 'group.read', 'member.read', 'token.read']
const ownersOnly = ['account.delete', 'billing.write', 'member.super_admin.grant']

function holds(world: World, roleId: string, action: string): boolean {
  const isAccountAction = permissionCatalog.find((row) => row.action === action)?.scope_type === 'account'
  if (roleId === 'builtin:owner') return isAccountAction
  if (roleId === 'builtin:admin') return isAccountAction && !ownersOnly.includes(action)
  if (roleId === 'builtin:member') return accountMember.includes(action)
  if (roleId === 'builtin:manager') return !isAccountAction
  if (roleId === 'builtin:user') return projectMember.includes(action)
  return world.roles.some(({ id, actions }) => id === roleId && actions.includes(action))
}

function grantAllows(principal: Principal, action: string): boolean {
  const isAgent = principal.agentGrant || principal.sessionId !== undefined || principal.isAutomation
  if (!isAgent || action === 'project.read') return true
  const listed = principal.agentGrant?.svc_cli ?? []
  if (listed === 'all') return true
  if (action === 'project.gitops.push' && listed.includes('project.cr.open')) return true
  if (action === 'project.gitops.merge' && listed.includes('project.cr.merge')) return true
  return listed.includes(action) || listed.includes('*')
}
