import { operations } from '@svc/contract'
import { type Handled, handle, problem, type RequestFacts } from '../kernel/http/index.ts'
import { type PageParts, readPageRequest } from './page-request.ts'

/** Turns the cookie, which no script can read, into a token that lives in the dashboard's memory for minutes. */
export function accessTokenRoute(parts: PageParts): Handled {
  return handle(operations.pages.accessToken, async (call) => {
    requireOwnScript(call.request)
    const { principal } = await readPageRequest(parts, call)
    if (!principal) throw problem('unauthorized', { say: 'Nobody is signed in here.', next: 'Sign in.' })
    const { token, expiresAt } = await parts.signIn.issueAccess(principal)
    return { access_token: token, expires_at: expiresAt.toISOString() }
  })
}

/** Another origin cannot send our header without asking first, and is never granted it outside the API. */
function requireOwnScript({ incoming, clientSource }: RequestFacts): void {
  const site = incoming.headers['sec-fetch-site']
  const { origin, host } = incoming.headers
  const isOwnOrigin = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
  if (clientSource === 'web' && isOwnOrigin && (site === undefined || site === 'same-origin')) return
  throw problem('forbidden', { say: 'Only the dashboard may ask for this.' })
}
