import { type Permission, permissionCatalog } from '@svc/contract'
import type { GrantLimit } from './agent-grant.ts'
import type { Held } from './facts.ts'

/** What a decision says. Callers match on codes and steps; the two of the specification stand word for word. */

export const noProject = 'You do not have access to this project'
export const noAccount = 'You do not have access to this account'
export const noSuchProject = 'There is no such project.'
export const notSignedIn = 'Nobody is signed in.'
export const missingScope = 'This OAuth token lacks the scope `svc`, without which it only tells who signed in.'
export const boundToken = 'This token is scoped to one project and may not be used outside it.'
export const principalDisabled = 'This service account is disabled or expired.'

const descriptions = new Map(permissionCatalog.map(({ action, description }) => [action, description]))

function nameAction(permission: Permission): string {
  const description = descriptions.get(permission)
  return description === undefined ? permission : `${permission} (${description.replace(/\.$/, '')})`
}

export function allowedBy(permission: Permission, { roleKey, groupId }: Held): string {
  return `The role ${roleKey}${groupId === undefined ? '' : ', held through a group,'} allows ${permission}.`
}

export function allowedByGrant(permission: Permission, limit: GrantLimit | undefined): string {
  const agent = limit?.agent ?? 'this agent'
  return `An automation holds every project permission, and the grant of ${agent} allows ${permission}.`
}

export function accountRoleTooLow(permission: Permission, { roleKey }: Held): string {
  // The contract's own words for this one.
  if (permission === 'project.create') return 'Owner or admin role required'
  return `Your account role ${roleKey} does not allow ${nameAction(permission)}. Ask an owner or admin of the account.`
}

export function projectRoleTooLow(permission: Permission, { roleKey }: Held): string {
  return `Your role ${roleKey} does not allow ${nameAction(permission)}. Ask an owner or admin of the project.`
}

export function outsideGrant(permission: Permission, limit: GrantLimit | undefined): string {
  const listed = limit === undefined || limit.actions === 'all' ? '' : limit.actions.join(', ')
  return `The agent ${limit?.agent ?? 'of this token'} is not granted ${permission}: its svc_cli list is [${listed}].`
}

export function agentClosed(name: string): string {
  return `The agent ${name} is open to managers and to people who are assigned to it. Ask a manager of the project.`
}

export function notNamed(type: string, name: string): string {
  return `The ${type} ${name} is restricted to people who are assigned to it, and you are not. Ask an owner or admin.`
}

export function namedOn(type: string, name: string): string {
  return `An assignment names you on the ${type} ${name}.`
}
