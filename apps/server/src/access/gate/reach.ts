import type { AnyOperation } from '@svc/contract'
import { type ParsedInput, problem } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import * as say from '../engine/sentences.ts'

/** The one call that every valid credential may make: whose am I? */
const whoAmI = 'GET /v1/accounts/me'

const openWithoutScope: readonly string[] = [whoAmI, 'GET /v1/oauth/userinfo', 'POST /v1/oauth/revoke']

/** A credential of a third-party app may not make credentials that outlive it. */
const closedToOAuth: readonly string[] = [
  'POST /v1/accounts/tokens',
  'POST /v1/projects/:projectId/cli-token',
  'POST /v1/projects/:projectId/git-token',
  'POST /v1/projects/:projectId/gateway/keys',
  'POST /v1/accounts/:accountId/iam/service-accounts',
  'POST /v1/accounts/:accountId/iam/oauth-clients',
  'POST /v1/accounts/:accountId/iam/oauth-clients/:clientId/rotate-secret',
]

/** Nor may an agent. */
const closedToSessions: readonly string[] = [
  'POST /v1/projects/:projectId/gateway/keys',
  'DELETE /v1/projects/:projectId/gateway/keys/:keyId',
  'POST /v1/projects/:projectId/cli-token',
  'DELETE /v1/projects/:projectId/cli-token/:tokenId',
]

const ownProjectOnly: readonly string[] = ['/v1/projects/:projectId', '/v1/git/', '/v1/connectors/projects/']
/** The project comes from the token here. */
const projectFromToken: readonly string[] = ['/v1/llm/', '/v1/connectors/']

export interface ReachOptions {
  /** The project a sandbox belongs to. Without it no project-bound token reaches a sandbox. */
  readonly projectOfSandbox?: ((sandboxId: string) => Promise<string | undefined>) | undefined
}

export function isWhoAmI(operation: AnyOperation): boolean {
  return operation.at === whoAmI
}

/** What the credential itself shuts out, whatever its principal may do. Default deny for project-bound tokens. */
export async function requireReach(
  operation: AnyOperation,
  principal: Principal,
  input: ParsedInput,
  options: ReachOptions,
): Promise<void> {
  if (principal.authType === 'oauth') requireOAuthReach(operation, principal)
  if (principal.boundProjectId === undefined) return
  if (principal.sessionId !== undefined && closedToSessions.includes(operation.at)) {
    throw problem('forbidden', { say: 'The token of an agent’s session may not manage keys of a project.' })
  }
  if (await isBoundReach(operation, principal.boundProjectId, input, options)) return
  throw problem('forbidden', { say: say.boundToken, next: 'Use it in its own project, or an account-wide token.' })
}

function requireOAuthReach({ at }: AnyOperation, { scopes }: Principal): void {
  if (!scopes?.includes('svc') && !openWithoutScope.includes(at)) {
    throw problem('forbidden', { say: say.missingScope, next: 'Sign in again and ask for the scope `svc`.' })
  }
  if (closedToOAuth.includes(at)) {
    throw problem('forbidden', { say: 'An OAuth token may not make other credentials.', next: 'Sign in directly.' })
  }
}

async function isBoundReach(
  operation: AnyOperation,
  boundProjectId: string,
  input: ParsedInput,
  { projectOfSandbox }: ReachOptions,
): Promise<boolean> {
  const { path } = operation
  if (isWhoAmI(operation)) return true
  if (ownProjectOnly.some((start) => path.startsWith(start))) {
    return input.params.projectId?.toLowerCase() === boundProjectId
  }
  if (projectFromToken.some((start) => path.startsWith(start))) return true
  if (!path.startsWith('/v1/p/')) return false
  const sandboxId = input.params.sandboxId ?? readField(input, 'sandbox_id')
  if (sandboxId === undefined) return path === '/v1/p/auth'
  return (await projectOfSandbox?.(sandboxId)) === boundProjectId
}

/** A text field of the query or else of the body. */
export function readField({ query, body }: ParsedInput, name: string): string | undefined {
  for (const source of [query, body]) {
    if (typeof source !== 'object' || source === null || !(name in source)) continue
    const value: unknown = Reflect.get(source, name)
    if (typeof value === 'string') return value
  }
  return undefined
}
