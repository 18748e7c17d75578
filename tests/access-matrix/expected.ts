import { type AnyOperation, fieldNames } from '@svc/contract'
import type { Caller } from './world.ts'

/**
 * Who may call what, once more and from the text: no role, permission or rule of the server is read here. An access word
 * or a permission without a row makes the matrix fail, so a new one is thought about twice.
 */

const persons: readonly Caller[] = ['outsider', 'operator', 'member', 'manager', 'admin', 'owner']
const unidentified: readonly Caller[] = ['anonymous', 'malformed', 'expired', 'revoked']
const bound: readonly Caller[] = [
  'own project token',
  'other project token',
  'session with grant',
  'session without grant',
]

const everyMember = ['account.read', 'billing.read', 'group.read', 'member.read', 'token.read']
const ownerOnly = ['account.delete', 'billing.write', 'member.super_admin.grant']
const adminToo =
  'account.write audit.read member.invite member.update member.remove group.create group.update group.delete group.members.manage policy.read role.read policy.create policy.delete role.create role.update role.delete token.create token.revoke project.create'.split(
    ' ',
  )
const projectMembers =
  'project.read project.agent.read project.app.read project.command.read project.gateway.logs.read project.gateway.spend.read project.gitops.read project.members.read project.review.read project.review.submit project.session.read project.session.start project.session.stop project.trigger.read project.trigger.fire'.split(
    ' ',
  )
const projectManagers =
  'project.write project.delete project.session.bindings.write project.members.manage project.trigger.create project.trigger.update project.trigger.delete project.gateway.budget.set project.gateway.keys.manage project.agent.write project.skill.read project.skill.write project.command.write project.file.read project.file.write project.customize.read project.customize.write project.gitops.push project.gitops.merge project.gitops.ref.any project.gitops.ref.delete project.secret.read project.secret.write project.connector.read project.connector.connections.manage project.connector.write project.app.write project.app.deploy project.review.act project.credentials.issue'.split(
    ' ',
  )

/** Where the handler asks for more than the operation's own word, depending on what the sample request asks for. */
const asksFor: Record<string, string> = {
  'iam.createAssignment': 'project.members.manage in account',
  'iam.revokeAssignment': 'project.members.manage in account',
}

/** Undefined when the table has no row for what the operation needs. */
export function expectedCallers(operation: AnyOperation): readonly Caller[] | 'everybody' | undefined {
  const { needs } = operation
  if (needs === 'public') return 'everybody'
  const allowed = asksFor[operation.id] === undefined ? byNeeds(operation, needs) : managersOfProject
  return allowed?.filter((caller) => !bound.includes(caller) || reaches(operation, caller))
}

const managersOfProject: readonly Caller[] = ['manager', 'admin', 'owner']

function byNeeds(operation: AnyOperation, needs: string): readonly Caller[] | undefined {
  const isOfTenant = namesTenant(operation)
  // Without a tenant in the request everybody asks about their own account, of which these are owners.
  const own: readonly Caller[] = isOfTenant ? [] : ['outsider', 'operator']
  // The gateway takes keys and tokens, and nobody's sign-in session.
  if (/^\/v1\/llm\//.test(operation.path)) return bound
  if (needs === 'signed-in') {
    const guests = takesAccountField(operation) ? own : persons
    const idle: readonly Caller[] = isWhoAmI(operation) ? ['idle service account'] : []
    return [...new Set<Caller>([...guests, 'member', 'manager', 'admin', 'owner', ...bound, ...idle])]
  }
  if (needs === 'user' || needs === 'identity-session') {
    return takesAccountField(operation) ? ['member', 'manager', 'admin', 'owner', ...own] : persons
  }
  if (needs === 'operator') return ['operator']
  if (needs === 'account-member') return ['member', 'manager', 'admin', 'owner', ...own]
  if (everyMember.includes(needs)) return ['member', 'manager', 'admin', 'owner', ...own]
  if (adminToo.includes(needs)) return ['admin', 'owner', ...own]
  if (ownerOnly.includes(needs)) return ['owner', ...own]
  if (!projectMembers.includes(needs) && !projectManagers.includes(needs)) return undefined
  const members: readonly Caller[] = projectMembers.includes(needs) ? ['member'] : []
  const ungranted: readonly Caller[] = needs === 'project.read' ? ['session without grant'] : []
  const tokens: readonly Caller[] = ['own project token', 'session with grant', ...ungranted]
  if (!namesProject(operation)) return [...tokens, 'other project token']
  return [...members, 'manager', 'admin', 'owner', ...tokens]
}

/** What a person decides, and no agent on their behalf. */
const forPeople = ['secrets.setStrategy', 'secrets.setPersonal', 'secrets.removePersonal', 'session.setSharing']

/** What a token that is bound to a project may reach at all; default deny. */
function reaches(operation: AnyOperation, caller: Caller): boolean {
  const { path, at } = operation
  if (isWhoAmI(operation)) return true
  if (/^\/v1\/projects\/:projectId(\/|$)/.test(path) || /^\/v1\/(git|connectors\/projects)\//.test(path)) {
    const isKeyManagement = /^(POST|DELETE) \/v1\/projects\/:projectId\/(cli-token|gateway\/keys)/.test(at)
    const isForPeople = isKeyManagement || forPeople.includes(operation.id)
    return caller !== 'other project token' && !(isForPeople && caller.startsWith('session'))
  }
  return path === '/v1/p/auth' || /^\/v1\/(llm|connectors)\//.test(path)
}

function isWhoAmI({ at }: AnyOperation): boolean {
  return at === 'GET /v1/accounts/me'
}

function takesAccountField({ query, body }: AnyOperation): boolean {
  return [...fieldNames(query), ...fieldNames(body)].includes('account_id')
}

function namesTenant(operation: AnyOperation): boolean {
  return /:(accountId|projectId)/.test(operation.path) || takesAccountField(operation)
}

function namesProject({ path, query, body }: AnyOperation): boolean {
  return path.includes(':projectId') || [...fieldNames(query), ...fieldNames(body)].includes('project_id')
}

export function isUnidentified(caller: Caller): boolean {
  return unidentified.includes(caller)
}
