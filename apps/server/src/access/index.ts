import type { AnyOperation, Entitlement } from '@svc/contract'
import type { Capability } from '../kernel/capability.ts'
import type { Tx } from '../kernel/database/index.ts'
import { problem } from '../kernel/http/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Access, RevokedProjectRole } from './access.ts'
import { createExpirySchedule } from './assignments/expire-assignments.ts'
import { type Grant, grantRole } from './assignments/grant-role.ts'
import { type AssignmentContext, revokeRoles } from './assignments/revoke-roles.ts'
import { accountRoleOf } from './engine/facts.ts'
import { createFactsSource } from './facts-source.ts'
import { createGate } from './gate/create-gate.ts'
import type { ReachOptions } from './gate/reach.ts'
import { createAccountSelection, type EnsurePersonalAccount } from './gate/select-account.ts'
import {
  type AccountRoleChange,
  readAccountRole,
  removeFromAccount,
  setAccountRole,
} from './members/account-members.ts'
import { claimPendingAssignments } from './members/pending-principal.ts'
import { listAccessibleProjects, readEffectiveProjectRole } from './members/project-roles.ts'
import { accessRoutes } from './routes.ts'
import { type AgentIdentity, ensureAgentIdentity } from './service-accounts/agent-identities.ts'
import type { RevokeFilter } from './store/assignments.ts'
import { createFactsStore } from './store/load-facts.ts'
import { listAccountMembers } from './store/members.ts'
import { countOwners } from './store/owners.ts'

export { accessChanged } from './access-changed.ts'
export type { AssignmentRow } from './assignments/record.ts'
export { toRecord as toAssignmentRecord } from './assignments/record.ts'
export { decide } from './engine/decide.ts'
export type { AccountRole } from './engine/facts.ts'
export { pendingPrincipalId } from './members/pending-principal.ts'
export type { EffectiveProjectRole, ProjectRoleName } from './members/project-roles.ts'
export { projectRoleIds } from './members/project-roles.ts'
export type { AccountMember } from './store/members.ts'
export type { AccountRoleChange, AgentIdentity, Grant, RevokeFilter }

export interface AccessOptions extends ReachOptions {
  /** Makes the account of a person who belongs to none, and says which it is. Safe to call twice. */
  readonly ensurePersonalAccount: EnsurePersonalAccount
  /** Whether an account's plan, or the operator's settings, include something. Default: everything. */
  readonly isEntitled?: (accountId: string, entitlement: Entitlement) => Promise<boolean>
  /** Ends the credentials of a service account that is disabled or deleted, on every node. */
  readonly endServiceAccount?: (tx: Tx, serviceAccountId: string) => Promise<void>
  /** Sees to it that no invitation gives back the role on a project that is about to be revoked. */
  readonly forgetOffers?: (tx: Tx, revoked: RevokedProjectRole) => Promise<void>
}

export type AccessCapability = ReturnType<typeof createAccess>

/** Who may do what: the gate of every call, the routes of assignments, and what other capabilities ask and change. */
export function createAccess(kernel: Kernel, options: AccessOptions) {
  const { database, clock } = kernel
  const facts = createFactsSource(createFactsStore(database.sql), clock, kernel.events)
  const accounts = createAccountSelection(facts, options.ensurePersonalAccount)
  const context: AssignmentContext = { clock, noteChange: facts.noteChange }
  const isEntitled = options.isEntitled ?? (async () => true)

  async function requireEntitlement(entitlement: Entitlement, accountId: string): Promise<void> {
    if (!(await isEntitled(accountId, entitlement))) throw problem('entitlement_required', { extras: { entitlement } })
  }

  const access: Access = {
    kernel,
    facts,
    accounts,
    context,
    countOwners: (accountId, tx) => countOwners(tx?.db ?? database.db, accountId, clock.now()),
    requireEntitlement,
    endServiceAccount: options.endServiceAccount ?? (async () => undefined),
    forgetOffers: options.forgetOffers ?? (async () => undefined),
  }
  const expiry = createExpirySchedule(database, clock)
  const capability: Capability = {
    routes: accessRoutes(access),
    jobs: [expiry.job],
    schedules: [expiry.schedule],
  }

  return {
    ...capability,
    gate: createGate(facts, accounts, options),
    stop: facts.stop,

    /** For the pass: 402 when the operation asks for what the account's plan lacks. */
    requireEntitlement: async ({ entitlement }: AnyOperation, accountId: string) => {
      if (entitlement) await requireEntitlement(entitlement, accountId)
    },
    isEntitled,

    /** The verdict on one permission, with its reason. */
    decide: facts.decide,
    /** The account of a call that names none, and the check that a named one is the caller's. */
    defaultAccount: accounts.defaultAccount,
    requireBelonging: accounts.requireBelonging,

    // Changes: inside the caller's transaction, with their audit events, visible in this process at the commit.
    grantRole: (tx: Tx, grant: Grant) => grantRole(context, tx, grant),
    revokeRoles: (tx: Tx, filter: RevokeFilter) => revokeRoles(context, tx, filter),
    setAccountRole: (tx: Tx, change: AccountRoleChange) => setAccountRole(context, tx, change),
    removeFromAccount: (tx: Tx, accountId: string, userId: string) => removeFromAccount(context, tx, accountId, userId),
    claimPendingAssignments: (tx: Tx, claim: { accountId: string; email: string; userId: string }) =>
      claimPendingAssignments(context, tx, claim),
    ensureAgentIdentity: (tx: Tx, agent: AgentIdentity) => ensureAgentIdentity(access, tx, agent),
    /** For changes to projects, groups or roles that are made elsewhere: seen here at the commit, elsewhere by event. */
    noteChange: facts.noteChange,

    // Questions.
    listAccountMembers: (accountId: string) => listAccountMembers(database.sql, accountId, clock.now()),
    /** Of a user, owned accounts first, then administered ones, oldest first. */
    listMemberships: async (userId: string) =>
      (await facts.memberships(userId)).filter(({ expiresAtMs }) => expiresAtMs > clock.nowMs()),
    readAccountRole: (tx: Tx, accountId: string, userId: string) => readAccountRole(tx, accountId, userId, clock.now()),
    accountRole: async (userId: string, accountId: string) =>
      accountRoleOf(await facts.holdings('user', userId, accountId), clock.nowMs())?.accountRole,
    isMember: async (userId: string, accountId: string) =>
      accountRoleOf(await facts.holdings('user', userId, accountId), clock.nowMs()) !== undefined,
    countOwners: access.countOwners,
    effectiveProjectRole: (userId: string, projectId: string) => readEffectiveProjectRole(facts, userId, projectId),
    listAccessibleProjects: (principal: Principal, accountId: string) =>
      listAccessibleProjects(database.sql, facts, principal, accountId),
  }
}
