import type { IdentityProvider } from '../../kernel/identity-providers.ts'
import type { Outbound } from '../../kernel/outbound/index.ts'
import { createGithubProvider } from './github-provider.ts'
import { createOidcProvider } from './oidc-provider.ts'
import type { SocialProvider } from './provider.ts'

/** The configured providers by the name clients use. */
export function createProviders(
  configured: readonly IdentityProvider[],
  outbound: Outbound,
): ReadonlyMap<string, SocialProvider> {
  return new Map(
    configured.map((provider) => [
      provider.name,
      provider.name === 'github' ? createGithubProvider(provider, outbound) : createOidcProvider(provider, outbound),
    ]),
  )
}
