import { oauthScopes } from '@svc/contract'
import { answer } from '../kernel/http/index.ts'

/** The same document at both places: there is one issuer. */
export function describeServer(issuer: string) {
  const document = {
    issuer,
    authorization_endpoint: `${issuer}/v1/oauth/authorize`,
    token_endpoint: `${issuer}/v1/oauth/token`,
    revocation_endpoint: `${issuer}/v1/oauth/revoke`,
    userinfo_endpoint: `${issuer}/v1/oauth/userinfo`,
    scopes_supported: [...oauthScopes],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
    code_challenge_methods_supported: ['S256'],
  }
  return answer(document, { headers: { 'cache-control': 'public, max-age=3600' } })
}
