import { randomBytes } from 'node:crypto'
import type { operations, ResultOf } from '@svc/contract'
import type { Actor } from '../../kernel/actor.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'
import { isUuid } from '../../kernel/ids/index.ts'
import type { Parts } from '../parts.ts'
import { addCode, findConsent, findOpenRequest, type OpenRequest, putConsent, takeRequest } from '../store/requests.ts'
import { returnToApp } from './return-to-app.ts'

const codeTtlMs = 5 * 60_000

export type ConsentRequest = ResultOf<typeof operations.oauth.consentRequest>

/** Which app asks this person for what. */
export async function describeRequest({ kernel }: Parts, requestId: string, userId: string): Promise<ConsentRequest> {
  const { db } = kernel.database
  const found = isUuid(requestId) ? await findOpenRequest(db, requestId, kernel.clock.now()) : undefined
  if (!found || !isStillRegistered(found)) throw gone()
  const { client, request } = found
  const approved = await findConsent(db, client.clientId, userId)
  return {
    client_id: client.clientId,
    client_name: client.name,
    client_type: client.clientType,
    scope: request.scopes.join(' '),
    scopes: request.scopes,
    remembered: request.scopes.every((scope) => approved.includes(scope)),
    redirect_to: request.redirectUri,
  }
}

/** The person's answer; a request takes one. The browser returns to the app by the address it gives. */
export async function decideRequest(
  parts: Parts,
  decision: { requestId: string; userId: string; approved: boolean },
  actor: Actor,
): Promise<{ redirect_uri: string }> {
  const { clock, database } = parts.kernel
  const { requestId, userId, approved } = decision
  if (!isUuid(requestId)) throw gone()
  return database.transact(actor, async (tx) => {
    const taken = await takeRequest(tx.db, requestId, clock.now())
    if (!taken || !isStillRegistered(taken)) throw gone()
    const { client, request } = taken
    await tx.audit({
      action: 'auth.oauth.consent',
      outcome: approved ? 'success' : 'denied',
      resourceType: 'oauth_client',
      resourceId: client.clientId,
      metadata: { client_name: client.name, scopes: request.scopes },
    })
    const { state, redirectUri } = request
    const denied = { error: 'access_denied', error_description: 'The request was not approved.' }
    const answered = approved ? { code: await issueCode(parts, tx, taken, userId) } : denied
    return { redirect_uri: returnToApp(redirectUri, { ...answered, state }) }
  })
}

async function issueCode({ kernel }: Parts, tx: Tx, { client, request }: OpenRequest, userId: string) {
  const { clientId } = client
  const before = await findConsent(tx.db, clientId, userId)
  const scopes = [...new Set([...before, ...request.scopes])]
  await putConsent(tx.db, { clientId, userId, scopes, updatedAt: kernel.clock.now() })
  const code = randomBytes(32).toString('base64url')
  await addCode(tx.db, {
    codeHash: kernel.tokenHasher.hashToken(code),
    clientId,
    userId,
    redirectUri: request.redirectUri,
    scopes: request.scopes,
    codeChallenge: request.codeChallenge,
    expiresAt: new Date(kernel.clock.nowMs() + codeTtlMs),
  })
  return code
}

/** The client may have been changed while the person was looking at the page. */
function isStillRegistered({ client, request }: OpenRequest): boolean {
  return client.active && client.redirectUris.includes(request.redirectUri)
}

function gone() {
  return problem('invalid_request', {
    say: 'This request is unknown, expired or already decided.',
    next: 'Begin the sign-in again in the app.',
  })
}
