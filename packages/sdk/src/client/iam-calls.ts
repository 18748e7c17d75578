import type { Body, Query, Result } from './call-types.ts'

/** `svc.iam`: who may do what, in the shapes of the wire. */
export interface IamCalls {
  listAssignments(accountId: string, filter?: Query<'iam.listAssignments'>): Result<'iam.listAssignments'>
  createAssignment(accountId: string, input: Body<'iam.createAssignment'>): Result<'iam.createAssignment'>
  revokeAssignment(accountId: string, assignmentId: string): Result<'iam.revokeAssignment'>
  listPermissions(accountId: string, filter?: Query<'iam.listPermissions'>): Result<'iam.listPermissions'>
  /** May they, and why. */
  explain(accountId: string, input: Body<'iam.explain'>): Result<'iam.explain'>
  readonly agentIdentities: {
    list(accountId: string, page?: Query<'iam.agentIdentities.list'>): Result<'iam.agentIdentities.list'>
  }
  readonly roles: {
    list(accountId: string, page?: Query<'iam.roles.list'>): Result<'iam.roles.list'>
    create(accountId: string, input: Body<'iam.roles.create'>): Result<'iam.roles.create'>
    update(accountId: string, roleId: string, input: Body<'iam.roles.update'>): Result<'iam.roles.update'>
    remove(accountId: string, roleId: string): Result<'iam.roles.remove'>
    permissions(accountId: string, roleId: string): Result<'iam.roles.permissions'>
    setPermissions(
      accountId: string,
      roleId: string,
      input: Body<'iam.roles.setPermissions'>,
    ): Result<'iam.roles.setPermissions'>
    usage(accountId: string, roleId: string): Result<'iam.roles.usage'>
  }
  readonly groups: {
    list(accountId: string, page?: Query<'iam.groups.list'>): Result<'iam.groups.list'>
    create(accountId: string, input: Body<'iam.groups.create'>): Result<'iam.groups.create'>
    get(accountId: string, groupId: string): Result<'iam.groups.get'>
    update(accountId: string, groupId: string, input: Body<'iam.groups.update'>): Result<'iam.groups.update'>
    remove(accountId: string, groupId: string): Result<'iam.groups.remove'>
    members(accountId: string, groupId: string, page?: Query<'iam.groups.members'>): Result<'iam.groups.members'>
    addMembers(
      accountId: string,
      groupId: string,
      input: Body<'iam.groups.addMembers'>,
    ): Result<'iam.groups.addMembers'>
    removeMember(accountId: string, groupId: string, userId: string): Result<'iam.groups.removeMember'>
  }
  readonly serviceAccounts: {
    list(accountId: string, page?: Query<'iam.serviceAccounts.list'>): Result<'iam.serviceAccounts.list'>
    /** `secret` is shown this once. */
    create(accountId: string, input: Body<'iam.serviceAccounts.create'>): Result<'iam.serviceAccounts.create'>
    disable(accountId: string, serviceAccountId: string): Result<'iam.serviceAccounts.disable'>
    remove(accountId: string, serviceAccountId: string): Result<'iam.serviceAccounts.remove'>
  }
}

/** `svc.oauth`: apps that sign people in with their accounts here. */
export interface OAuthCalls {
  consentRequest(requestId: string): Result<'oauth.consentRequest'>
  decideConsent(input: Body<'oauth.decideConsent'>): Result<'oauth.decideConsent'>
  readonly clients: {
    list(accountId: string, page?: Query<'oauth.clients.list'>): Result<'oauth.clients.list'>
    /** `client_secret` is shown this once. */
    create(accountId: string, input: Body<'oauth.clients.create'>): Result<'oauth.clients.create'>
    get(accountId: string, clientId: string): Result<'oauth.clients.get'>
    update(accountId: string, clientId: string, input: Body<'oauth.clients.update'>): Result<'oauth.clients.update'>
    remove(accountId: string, clientId: string): Result<'oauth.clients.remove'>
    rotateSecret(accountId: string, clientId: string): Result<'oauth.clients.rotateSecret'>
  }
}
