import { type Permission, scopeOf } from '@svc/contract'
import type { Scope } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import { readGrantLimit } from './agent-grant.ts'
import { accountRoleOf, type Facts, type Held, type Holdings, hasAnyRole, isActive, objectKey } from './facts.ts'
import * as say from './sentences.ts'

/** The steps of a decision, in their order. */
export const steps = [
  'token_binding',
  'acting_principal',
  'project_binding',
  'account_role',
  'project_role',
  'object_rule',
  'agent_grant',
] as const
export type Step = (typeof steps)[number]

export interface Decision {
  readonly allowed: boolean
  /** A sentence for the person who asked; of a refusal, the one they get. */
  readonly reason: string
  readonly decidedBy: {
    readonly step: Step
    readonly assignmentId: string | undefined
    readonly roleKey: string | undefined
  }
  /** How a refusal is answered; undefined when allowed. */
  readonly code: 'forbidden' | 'not_found' | 'agent_not_accessible' | undefined
}

/**
 * May this principal do this here? Pure: the same facts always give the same answer, and `explain` and every route ask
 * this one function. Allow-only: roles add up and nothing takes away but the object rule and an agent's grant.
 */
export function decide(facts: Facts, principal: Principal, permission: Permission, scope: Scope): Decision {
  const unbound = checkTokenBinding(facts, principal)
  if (unbound) return unbound
  const acting = chooseActing(facts, principal)
  if (acting !== 'automation' && acting.usableUntilMs <= facts.nowMs) {
    return refuse('acting_principal', say.principalDisabled)
  }
  const isAccountAction = scopeOf(permission) === 'account'
  if (leavesItsProject(facts, principal, isAccountAction)) return refuse('project_binding', say.boundToken)
  if (isAccountAction) return decideAccount(facts, principal, acting, permission)
  return decideProject(facts, principal, acting, permission, scope)
}

type Acting = Holdings | 'automation'

/** A credential belongs to one account, or acts for a person everywhere, or (OAuth without `svc`) for nobody. */
function checkTokenBinding({ accountId }: Facts, principal: Principal): Decision | undefined {
  if (principal.kind === 'anonymous') return refuse('token_binding', say.notSignedIn)
  if (principal.authType === 'oauth' && !principal.scopes?.includes('svc')) {
    return refuse('token_binding', say.missingScope)
  }
  if (principal.authType === 'oauth' || principal.homeAccountId === undefined) return undefined
  return principal.homeAccountId === accountId ? undefined : refuse('token_binding', say.noAccount)
}

/** An agent whose own service account holds a role acts as that; otherwise as whoever launched it. */
function chooseActing({ own, agentIdentity, nowMs }: Facts, principal: Principal): Acting {
  if (principal.agentGrant && agentIdentity && hasAnyRole(agentIdentity, nowMs)) return agentIdentity
  return principal.isAutomation ? 'automation' : own
}

function leavesItsProject({ project }: Facts, { boundProjectId }: Principal, isAccountAction: boolean): boolean {
  if (boundProjectId === undefined) return false
  return isAccountAction || project?.projectId !== boundProjectId
}

function decideAccount(facts: Facts, principal: Principal, acting: Acting, permission: Permission): Decision {
  const limit = readGrantLimit(principal)
  if (limit || acting === 'automation') return refuse('agent_grant', say.outsideGrant(permission, limit))
  const giving = acting.atAccount.find((held) => isActive(held, facts.nowMs) && held.actions.has(permission))
  if (giving) return allow('account_role', say.allowedBy(permission, giving), giving)
  const role = accountRoleOf(acting, facts.nowMs)
  return refuse('account_role', role ? say.accountRoleTooLow(permission, role) : say.noAccount, role)
}

function decideProject(
  facts: Facts,
  principal: Principal,
  acting: Acting,
  permission: Permission,
  scope: Scope,
): Decision {
  const { project } = facts
  if (!project?.isActive) return refuse('project_role', say.noSuchProject, undefined, 'not_found')
  const roles = acting === 'automation' ? 'every' : rolesOnProject(facts, acting, project.projectId)
  const giving = roles === 'every' ? undefined : roles.find((role) => role.allows(permission))
  if (roles !== 'every' && !giving) return refuseRole(permission, roles)

  const ruled = applyObjectRule(facts, acting, roles, permission, scope)
  if (ruled && !ruled.allowed) return ruled
  const limit = readGrantLimit(principal)
  if (limit && !limit.allows(permission)) return refuse('agent_grant', say.outsideGrant(permission, limit))
  if (ruled) return ruled
  if (!giving) return allow('agent_grant', say.allowedByGrant(permission, limit))
  return allow('project_role', say.allowedBy(permission, giving.held), giving.held)
}

interface ProjectRole {
  readonly held: Held
  allows(action: string): boolean
}

/** Strongest first: owners and admins are managers of every project; then roles on the project; then custom ones. */
function rolesOnProject({ nowMs }: Facts, { atAccount, byProject }: Holdings, projectId: string): ProjectRole[] {
  const roles: ProjectRole[] = []
  for (const held of atAccount) {
    if (isActive(held, nowMs) && isImplicitManager(held)) roles.push({ held, allows: () => true })
  }
  for (const held of byProject.get(projectId) ?? []) {
    if (isActive(held, nowMs)) roles.push({ held, allows: (action) => held.actions.has(action) })
  }
  for (const held of atAccount) {
    if (isActive(held, nowMs) && !held.isSystem) roles.push({ held, allows: (action) => held.actions.has(action) })
  }
  return roles
}

function isImplicitManager({ accountRole }: Held): boolean {
  return accountRole === 'owner' || accountRole === 'admin'
}

function refuseRole(permission: Permission, roles: readonly ProjectRole[]): Decision {
  const reader = roles.find((role) => role.allows('project.read'))
  if (!reader) return refuse('project_role', say.noProject)
  return refuse('project_role', say.projectRoleTooLow(permission, reader.held), reader.held)
}

/**
 * Enforced on agents and skills. Once an assignment names the object only those it names pass, managers included;
 * while none does, agents are closed to all below manager and skills open. Owners and admins always pass.
 */
function applyObjectRule(
  facts: Facts,
  acting: Acting,
  roles: readonly ProjectRole[] | 'every',
  permission: Permission,
  { object }: Scope,
): Decision | undefined {
  if (!object || (object.type !== 'agent' && object.type !== 'skill')) return undefined
  if (acting === 'automation' || roles === 'every' || !facts.project) return undefined
  const implicit = roles.find(({ held }) => isImplicitManager(held))
  if (implicit) return allow('object_rule', say.allowedBy(permission, implicit.held), implicit.held)
  const isNamed = facts.objectNamedUntilMs > facts.nowMs
  if (!isNamed && object.type === 'skill') return undefined
  if (!isNamed) {
    const manager = roles.find((role) => role.allows('project.write'))
    if (manager) return allow('object_rule', say.allowedBy(permission, manager.held), manager.held)
    return refuseObject(permission, object.type, say.agentClosed(object.id))
  }
  const naming = acting.byObject
    .get(objectKey(facts.project.projectId, object.type, object.id))
    ?.find((held) => isActive(held, facts.nowMs))
  if (naming) return allow('object_rule', say.namedOn(object.type, object.id), naming)
  return refuseObject(permission, object.type, say.notNamed(object.type, object.id))
}

/** Running an agent tells why; reading one answers as if it did not exist. */
function refuseObject(permission: Permission, type: 'agent' | 'skill', reason: string): Decision {
  const runs = type === 'agent' && permission === 'project.session.start'
  return refuse('object_rule', reason, undefined, runs ? 'agent_not_accessible' : 'not_found')
}

function allow(step: Step, reason: string, held?: Held): Decision {
  return { allowed: true, reason, decidedBy: by(step, held), code: undefined }
}

function refuse(step: Step, reason: string, held?: Held, code: Decision['code'] = 'forbidden'): Decision {
  return { allowed: false, reason, decidedBy: by(step, held), code }
}

function by(step: Step, held: Held | undefined): Decision['decidedBy'] {
  return { step, assignmentId: held?.assignmentId, roleKey: held?.roleKey }
}
