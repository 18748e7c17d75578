import { operations } from '@svc/contract'
import { type Handled, handle } from '../kernel/http/index.ts'
import { attachGroupGrant, detachGroupGrant, listGroupGrants, updateGroupGrant } from './groups/group-grants.ts'
import type { Parts } from './parts.ts'
import { revokeAccess, updateAccess } from './people/change-access.ts'
import { invitePerson } from './people/invite-person.ts'
import { listAccess } from './people/list-access.ts'
import { listPendingInvites, resendInvite, revokeInvite } from './people/pending-invites.ts'
import { requestAccess } from './requests/request-access.ts'
import { approveRequest, listRequests, rejectRequest } from './requests/review-request.ts'
import { createResourceGrant, listResourceGrants, removeResourceGrant } from './resources/resource-grants.ts'
import { createToken, listTokens, revokeToken } from './tokens/project-tokens.ts'

export function projectAccessRoutes(parts: Parts): Handled[] {
  const { projectAccess, projectTokens } = operations
  return [
    handle(projectAccess.list, (call) => listAccess(parts, call)),
    handle(projectAccess.invite, (call) => invitePerson(parts, call)),
    handle(projectAccess.pendingInvites, (call) => listPendingInvites(parts, call)),
    handle(projectAccess.resendInvite, (call) => resendInvite(parts, call)),
    handle(projectAccess.revokeInvite, (call) => revokeInvite(parts, call)),
    handle(projectAccess.update, (call) => updateAccess(parts, call)),
    handle(projectAccess.revoke, (call) => revokeAccess(parts, call)),
    handle(projectAccess.requestAccess, (call) => requestAccess(parts, call)),
    handle(projectAccess.requests, (call) => listRequests(parts, call)),
    handle(projectAccess.approveRequest, (call) => approveRequest(parts, call)),
    handle(projectAccess.rejectRequest, (call) => rejectRequest(parts, call)),
    handle(projectAccess.groupGrants, (call) => listGroupGrants(parts, call)),
    handle(projectAccess.attachGroupGrant, (call) => attachGroupGrant(parts, call)),
    handle(projectAccess.updateGroupGrant, (call) => updateGroupGrant(parts, call)),
    handle(projectAccess.detachGroupGrant, (call) => detachGroupGrant(parts, call)),
    handle(projectAccess.listResourceGrants, (call) => listResourceGrants(parts, call)),
    handle(projectAccess.createResourceGrant, (call) => createResourceGrant(parts, call)),
    handle(projectAccess.removeResourceGrant, (call) => removeResourceGrant(parts, call)),
    handle(projectTokens.list, (call) => listTokens(parts, call)),
    handle(projectTokens.create, (call) => createToken(parts, call)),
    handle(projectTokens.revoke, (call) => revokeToken(parts, call)),
  ]
}
