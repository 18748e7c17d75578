import type { Body, Query, Result } from './call-types.ts'

/** A role inside a project. */
export type ProjectRole = 'manager' | 'member'

/** `svc.project(id).tokens`: keys bound to the project. */
export interface ProjectTokenCalls {
  list(page?: Query<'tokens.list'>): Result<'tokens.list'>
  /** `secret_key` is shown this once. */
  create(input?: Body<'tokens.create'>): Result<'tokens.create'>
  revoke(tokenId: string): Result<'tokens.revoke'>
}

/** `svc.project(id).secrets`: values go in and never come out. */
export interface ProjectSecretCalls {
  list(page?: Query<'secrets.list'>): Result<'secrets.list'>
  upsert(input: Body<'secrets.upsert'>): Result<'secrets.upsert'>
  setStrategy(
    identifier: string,
    strategy: Body<'secrets.setStrategy'>['strategy'],
    options?: Omit<Body<'secrets.setStrategy'>, 'strategy'>,
  ): Result<'secrets.setStrategy'>
  remove(identifier: string): Result<'secrets.remove'>
  setPersonal(name: string, value: string): Result<'secrets.setPersonal'>
  removePersonal(name: string): Result<'secrets.removePersonal'>
  setGitCredential(input: Body<'secrets.setGitCredential'>): Result<'secrets.setGitCredential'>
}

/** `svc.project(id).access`: who reaches the project. */
export interface ProjectAccessCalls {
  list(page?: Query<'access.list'>): Result<'access.list'>
  invite(email: string, role: ProjectRole, expiresAt?: string | null): Result<'access.invite'>
  update(userId: string, role: ProjectRole, expiresAt?: string | null): Result<'access.update'>
  revoke(userId: string): Result<'access.revoke'>
  pendingInvites(page?: Query<'access.pendingInvites'>): Result<'access.pendingInvites'>
  resendInvite(inviteId: string): Result<'access.resendInvite'>
  revokeInvite(inviteId: string): Result<'access.revokeInvite'>
  /** Asks the managers to be let in. */
  request(message?: string): Result<'access.request'>
  requests(page?: Query<'access.requests'>): Result<'access.requests'>
  /** Default role: `member`. */
  approveRequest(requestId: string, role?: ProjectRole): Result<'access.approveRequest'>
  rejectRequest(requestId: string): Result<'access.rejectRequest'>
  groupGrants(page?: Query<'access.groupGrants'>): Result<'access.groupGrants'>
  attachGroupGrant(groupId: string, role: ProjectRole, expiresAt?: string | null): Result<'access.attachGroupGrant'>
  updateGroupGrant(groupId: string, role: ProjectRole, expiresAt?: string | null): Result<'access.updateGroupGrant'>
  detachGroupGrant(groupId: string): Result<'access.detachGroupGrant'>
  readonly resourceGrants: {
    list(page?: Query<'access.resourceGrants.list'>): Result<'access.resourceGrants.list'>
    create(input: {
      readonly resourceType: Body<'access.resourceGrants.create'>['resource_type']
      readonly resourceId: string
      readonly principalType: 'member' | 'group'
      readonly principalId: string
      readonly expiresAt?: string | null | undefined
    }): Result<'access.resourceGrants.create'>
    remove(grantId: string): Result<'access.resourceGrants.remove'>
  }
}
