import type { operations } from '@svc/contract'
import { answerPage, type Call, pageSize, problem, readIdCursor } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { readExpiry } from '../read-expiry.ts'
import { isGroupOfAccount, isResourceGrant, listResourceGrants as listRows } from '../store/grants.ts'
import { findSecrets } from './find-secrets.ts'
import { readResources } from './read-resources.ts'
import { isKnown, toResourceGrant } from './resource-record.ts'

type Ops = typeof operations.projectAccess

export async function listResourceGrants(parts: Parts, call: Call<Ops['listResourceGrants']>) {
  const { accountId, projectId } = call
  const { database, clock } = parts.kernel
  const page = { afterId: readIdCursor(call.query.cursor), limit: pageSize + 1 }
  const rows = await listRows(database.sql, { accountId, projectId }, clock.now(), page)
  const resources = await readResources(parts, projectId)
  const secrets = await findSecrets(parts, projectId, rows)
  return answerPage(
    rows,
    ({ assignmentId }) => assignmentId,
    (shown) => ({
      resources: { agents: [...resources.agents], skills: [...resources.skills] },
      grants: shown.map((row) => toResourceGrant(row, resources, secrets)),
    }),
  )
}

/** Names somebody on an object. Carries no permission: on agents and skills it says who else is shut out. */
export async function createResourceGrant(parts: Parts, call: Call<Ops['createResourceGrant']>) {
  const { accountId, projectId } = call
  const { resource_type: type, resource_id: id, principal_type: principalType } = call.body
  const principalId = call.body.principal_id.toLowerCase()
  const expiresAt = readExpiry(parts, call.body.expires_at)
  const secrets = await findSecrets(parts, projectId, [{ objectType: type, objectId: id }])
  if (!isKnown(await readResources(parts, projectId), type, id, secrets)) {
    throw problem('unknown_resource', { say: `The project has no such ${type}.` })
  }
  const row = await parts.kernel.database.transact(call.actor, async (tx) => {
    const exists =
      principalType === 'group'
        ? await isGroupOfAccount(parts.kernel.database.sql, accountId, principalId)
        : (await parts.access.readAccountRole(tx, accountId, principalId)) !== undefined
    if (!exists) throw problem('not_found', { say: `There is no such ${principalType} in this account.` })
    const granted = await parts.access.grantRole(tx, {
      accountId,
      principal: { type: principalType === 'group' ? 'group' : 'user', id: principalId },
      roleId: 'builtin:agent-user',
      projectId,
      object: { type, id },
      expiresAt,
    })
    await tx.audit({
      action: 'project.access.resource_granted',
      outcome: 'success',
      resourceType: type,
      resourceId: id,
      after: { grant_id: granted.assignmentId, principal_type: principalType, principal_id: principalId },
    })
    return granted
  })
  return {
    grant_id: row.assignmentId,
    resource_type: type,
    resource_id: id,
    principal_type: principalType,
    principal_id: principalId,
  }
}

export async function removeResourceGrant(parts: Parts, call: Call<Ops['removeResourceGrant']>) {
  const { accountId, projectId } = call
  const grantId = call.params.grantId.toLowerCase()
  if (!(await isResourceGrant(parts.kernel.database.sql, projectId, grantId))) throw noGrant()
  await parts.kernel.database.transact(call.actor, async (tx) => {
    const [row] = await parts.access.revokeRoles(tx, { accountId, assignmentId: grantId, projectId, onObject: true })
    if (!row) throw noGrant()
    await tx.audit({
      action: 'project.access.resource_revoked',
      outcome: 'success',
      resourceType: row.objectType ?? 'object',
      resourceId: row.objectId ?? '',
      before: { grant_id: grantId, principal_type: row.principalType, principal_id: row.principalId },
    })
  })
  return { ok: true as const }
}

const noGrant = () => problem('not_found', { say: 'There is no such grant in this project.' })
