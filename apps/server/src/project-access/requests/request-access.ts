import type { operations } from '@svc/contract'
import type { Tx } from '../../kernel/database/index.ts'
import { answer, type Call, Problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Parts } from '../parts.ts'
import { listManagerAddresses, readProjectName } from '../store/people.ts'
import { addRequest, findPendingRequest } from '../store/requests.ts'
import { toRequest } from './request-record.ts'

const maxMessageChars = 2000
/** Enough for somebody to see it; a large account's every admin need not. */
const maxNotified = 20

/** Anybody signed in may ask, once at a time. Asking again shows the request that waits. */
export async function requestAccess(parts: Parts, call: Call<typeof operations.projectAccess.requestAccess>) {
  const { accountId, projectId, principal } = call
  if (await call.can('project.read')) {
    return answer({ status: 'already_has_access' as const, project_id: projectId }, { status: 200 })
  }
  const email = principal.email ?? ''
  const message = call.body.message?.trim().slice(0, maxMessageChars) || null
  return parts.kernel.database.transact(call.actor, async (tx) => {
    const created = await addRequest(tx.db, {
      requestId: newId(),
      accountId,
      projectId,
      requesterUserId: principal.id,
      message,
    })
    if (!created) {
      const waiting = await findPendingRequest(tx.db, projectId, principal.id)
      if (!waiting) throw new Error('a request that was in the way is gone')
      return answer({ status: 'pending' as const, request: toRequest(waiting, email) }, { status: 200 })
    }
    await notifyManagers(parts, tx, { accountId, projectId, email })
    await tx.audit({
      action: 'project.access.request',
      outcome: 'success',
      resourceType: 'access_request',
      resourceId: created.requestId,
    })
    return answer({ status: 'created' as const, request: toRequest(created, email) }, { status: 201 })
  })
}

/** Without the requester's own words: a stranger must not write to people in our name. */
async function notifyManagers(
  parts: Parts,
  tx: Tx,
  { accountId, projectId, email }: { accountId: string; projectId: string; email: string },
): Promise<void> {
  const { database, clock } = parts.kernel
  const name = (await readProjectName(database.sql, projectId)).replace(/\s+/gu, ' ').slice(0, 80)
  const managers = await listManagerAddresses(database.sql, { accountId, projectId }, clock.now(), maxNotified)
  const text = [
    `${email} asks for access to the project “${name}”.`,
    '',
    'Approve or decline it here:',
    `${parts.publicUrl()}/projects/${projectId}`,
    '',
  ].join('\n')
  for (const to of managers) {
    if (await mayMail(parts, to)) await parts.mail.send(tx, { to, subject: `Access to “${name}” is asked for`, text })
  }
}

/** A full mailbox keeps nobody from asking: the request stands in the list all the same. */
async function mayMail(parts: Parts, address: string): Promise<boolean> {
  try {
    await parts.mail.limitByAddress(address)
    return true
  } catch (error) {
    if (Problem.isInstance(error)) return false
    throw error
  }
}
