import { z } from 'zod'
import type { CredentialSource } from '../identity/index.ts'
import type { Actor } from '../kernel/actor.ts'
import type { Capability } from '../kernel/capability.ts'
import type { Tx } from '../kernel/database/index.ts'
import { defineJob, defineSchedule } from '../kernel/jobs/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { type ConsentRequest, decideRequest, describeRequest } from './authorize/consent.ts'
import { createOAuthSource } from './credential-source.ts'
import type { Parts } from './parts.ts'
import { oauthRoutes } from './routes.ts'
import { cleanOAuth } from './store/grants.ts'
import { endAccess } from './token/end-grant.ts'

export type { ConsentRequest } from './authorize/consent.ts'

export type OAuthOptions = Omit<Parts, 'kernel'>

export interface OAuth extends Capability {
  /** The `svc_oat_` family, for the authenticator. */
  readonly credentials: CredentialSource
  /** Which app asks this person for what; throws `invalid_request` when there is no such request any more. */
  describeRequest(requestId: string, userId: string): Promise<ConsentRequest>
  /** The person's one answer, and the address to send the browser to. Throws `invalid_request` like the above. */
  decide(requestId: string, userId: string, approved: boolean, actor?: Actor): Promise<{ redirect_uri: string }>
  /** No app acts for this person any more, until they allow it again. */
  endAccess(tx: Tx, userId: string): Promise<void>
}

/** Third-party apps that people sign in to with their account here. */
export function createOAuth(kernel: Kernel, options: OAuthOptions): OAuth {
  const parts: Parts = { kernel, ...options }
  const cleaning = createCleaning(kernel)
  return {
    routes: oauthRoutes(parts),
    jobs: [cleaning],
    schedules: [defineSchedule({ name: 'oauth.clean', cron: '37 * * * *', job: cleaning, payload: {} })],
    credentials: createOAuthSource(kernel),
    describeRequest: (requestId, userId) => describeRequest(parts, requestId, userId),
    decide: (requestId, userId, approved, actor = { type: 'human', userId }) =>
      decideRequest(parts, { requestId, userId, approved }, actor),
    endAccess: (tx, userId) => endAccess(parts, tx, userId),
  }
}

function createCleaning({ database, clock }: Kernel) {
  return defineJob({
    name: 'oauth.clean',
    payload: z.object({}),
    maxAttempts: 3,
    run: () => cleanOAuth(database.db, clock.now()),
  })
}
