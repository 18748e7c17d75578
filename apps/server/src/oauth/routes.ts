import { operations } from '@svc/contract'
import { type Handled, handle, type RequestFacts } from '../kernel/http/index.ts'
import { decideRequest, describeRequest } from './authorize/consent.ts'
import { startRequest } from './authorize/start-request.ts'
import { createClient, deleteClient, rotateSecret, updateClient } from './clients/change-client.ts'
import { getClient, listClients } from './clients/list-clients.ts'
import { describeServer } from './discovery.ts'
import type { Parts } from './parts.ts'
import { readUserinfo } from './read-userinfo.ts'
import { authenticateClient, limitClient } from './token/authenticate-client.ts'
import { grantTokens, requireField } from './token/grant-tokens.ts'
import { revokeToken } from './token/revoke-token.ts'
import { showIssued } from './token/token-answer.ts'

export function oauthRoutes(parts: Parts): Handled[] {
  const { oauth } = operations
  return [
    handle(oauth.discovery, () => describeServer(parts.publicUrl())),
    handle(oauth.discoveryBelow, () => describeServer(parts.publicUrl())),
    handle(oauth.authorize, ({ query, request }) => startRequest(parts, query, readSearch(request))),
    handle(oauth.consentRequest, ({ params, principal }) => describeRequest(parts, params.requestId, principal.id)),
    handle(oauth.decideConsent, ({ body, principal, actor }) =>
      decideRequest(parts, { requestId: body.request_id, userId: principal.id, approved: body.approved }, actor),
    ),
    handle(oauth.token, async ({ body, request, actor }) => {
      const client = await authenticateClient(parts, readCaller(body, request))
      await limitClient(parts, client)
      const issued = await grantTokens(parts, client, body, actor)
      return showIssued(issued, parts.kernel.clock.now())
    }),
    handle(oauth.revoke, async ({ body, request, actor }) => {
      const client = await authenticateClient(parts, readCaller(body, request))
      return { revoked: await revokeToken(parts, client, requireField(body, 'token'), actor) }
    }),
    handle(oauth.userinfo, ({ principal }) => readUserinfo(parts, principal)),

    handle(oauth.listClients, ({ accountId, query }) => listClients(parts, accountId, query.cursor)),
    handle(oauth.createClient, ({ accountId, actor, body }) => createClient(parts, actor, accountId, body)),
    handle(oauth.getClient, ({ accountId, params }) => getClient(parts, accountId, params.clientId)),
    handle(oauth.updateClient, ({ accountId, actor, params, body }) =>
      updateClient(parts, actor, { accountId, clientId: params.clientId }, body),
    ),
    handle(oauth.deleteClient, async ({ accountId, actor, params }) => {
      await deleteClient(parts, actor, { accountId, clientId: params.clientId })
      return { deleted: true as const }
    }),
    handle(oauth.rotateSecret, ({ accountId, actor, params }) =>
      rotateSecret(parts, actor, { accountId, clientId: params.clientId }),
    ),
  ]
}

function readSearch({ incoming }: RequestFacts): string {
  const url = incoming.url ?? ''
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

/** An empty field counts as one that was not sent. */
function readCaller(
  form: { readonly client_id?: string | undefined; readonly client_secret?: string | undefined },
  { ip, incoming }: RequestFacts,
) {
  return { clientId: form.client_id || undefined, clientSecret: form.client_secret || undefined, ip, incoming }
}
