import { callService } from '../client/build-calls.ts'
import { parseCall } from '../client/parse-calls.ts'
import { platformConfig } from '../config/platform-config.ts'
import type { Assignment, Permission } from '../generated/operations.ts'
import { toList, toRecord } from '../wire/read-value.ts'

/** Which assignments to list. */
export interface AssignmentFilter {
  readonly principalType?: Assignment['principal_type'] | undefined
  readonly principalId?: string | undefined
  readonly scopeType?: Assignment['scope_type'] | undefined
  readonly scopeId?: string | undefined
  readonly objectType?: Assignment['object_type'] | undefined
  readonly objectId?: string | undefined
  readonly roleId?: string | undefined
  readonly includeExpired?: boolean | undefined
}

/** Who gets which role, where. */
export interface AssignmentInput {
  readonly principal: { readonly type: Assignment['principal_type']; readonly id: string }
  readonly scope: { readonly type: 'account' } | { readonly type: 'project'; readonly id: string }
  readonly roleId?: string | undefined
  readonly roleKey?: string | undefined
  readonly object?: { readonly type: NonNullable<Assignment['object_type']>; readonly id: string } | undefined
  readonly expiresAt?: string | null | undefined
}

/**
 * The role assignments of an account, newest first.
 *
 * @example
 * const assignments = await listAssignments(accountId, { scopeType: 'project', scopeId: projectId })
 */
export async function listAssignments(accountId: string, filter?: AssignmentFilter): Promise<Assignment[]> {
  const { assignments } = toRecord(await callIam('G', 'assignments', [accountId, filter], '~'))
  return toList(assignments) as Assignment[]
}

/**
 * Gives a principal a role.
 *
 * @example
 * await createAssignment(accountId, {
 *   principal: { type: 'user', id: userId },
 *   scope: { type: 'project', id: projectId },
 *   roleKey: 'manager',
 * })
 */
export async function createAssignment(accountId: string, input: AssignmentInput): Promise<Assignment> {
  const { principal, scope, object, ...role } = input
  const body = {
    principalType: principal.type,
    principalId: principal.id,
    scopeType: scope.type,
    scopeId: scope.type === 'project' ? scope.id : undefined,
    objectType: object?.type,
    objectId: object?.id,
    ...role,
  }
  return (await callIam('P', 'assignments', [accountId, body], '~')) as Assignment
}

/**
 * Takes an assignment back and answers what it was.
 *
 * @example
 * await revokeAssignment(accountId, assignment.assignment_id)
 */
export async function revokeAssignment(accountId: string, assignmentId: string): Promise<Assignment> {
  const { assignment } = toRecord(await callIam('D', 'assignments/:', [accountId, assignmentId]))
  return assignment as Assignment
}

/**
 * The permission catalog.
 *
 * @example
 * const permissions = await listPermissions(accountId, { scopeType: 'project' })
 */
export async function listPermissions(
  accountId: string,
  filter?: { readonly scopeType?: 'account' | 'project' | undefined },
): Promise<Permission[]> {
  const { permissions } = toRecord(await callIam('G', 'permissions', [accountId, filter], '~'))
  return toList(permissions) as Permission[]
}

const callIam = (letter: string, route: string, args: readonly unknown[], ...fields: string[]): Promise<unknown> =>
  callService(platformConfig, parseCall([`${letter}accounts/:/iam/${route}`, ...fields]), args)
