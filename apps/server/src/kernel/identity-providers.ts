import { StartError } from './start-error.ts'

/** Another provider people may sign in with, as the operator configured it. */
export interface IdentityProvider {
  /** The name clients use: `google`, `keycloak`, ... */
  readonly name: string
  /** Absent for providers whose address is known. */
  readonly issuer: string | undefined
  readonly clientId: string
  readonly clientSecret: string
}

/** Issuers that everybody knows; others have to be named. GitHub speaks OAuth only and has no issuer. */
const knownIssuers: Readonly<Record<string, string | undefined>> = {
  google: 'https://accounts.google.com',
  gitlab: 'https://gitlab.com',
  apple: 'https://appleid.apple.com',
  slack: 'https://slack.com',
  linkedin_oidc: 'https://www.linkedin.com/oauth',
}

/** `SVC_OIDC_<NAME>_CLIENT_ID` and its companions: one provider per name. */
export function readIdentityProviders(env: Readonly<Record<string, string | undefined>>): IdentityProvider[] {
  const names = Object.keys(env).flatMap((key) => /^SVC_OIDC_([A-Z0-9_]+)_CLIENT_ID$/.exec(key)?.[1] ?? [])
  return names.sort().map((name) => {
    const clientId = env[`SVC_OIDC_${name}_CLIENT_ID`]
    const clientSecret = env[`SVC_OIDC_${name}_CLIENT_SECRET`]
    const issuer = env[`SVC_OIDC_${name}_ISSUER`] ?? knownIssuers[name.toLowerCase()]
    if (!clientId || !clientSecret) {
      throw new StartError(
        `SVC_OIDC_${name}_CLIENT_ID and SVC_OIDC_${name}_CLIENT_SECRET must both be set.`,
        'Copy both from the application you registered at the provider.',
      )
    }
    if (issuer === undefined && name !== 'GITHUB') {
      throw new StartError(
        `SVC_OIDC_${name}_ISSUER is not set.`,
        `Set it to the provider’s issuer, for example: SVC_OIDC_${name}_ISSUER=https://id.example.com`,
      )
    }
    if (issuer !== undefined && !(URL.canParse(issuer) && /^https?:$/.test(new URL(issuer).protocol))) {
      throw new StartError(
        `SVC_OIDC_${name}_ISSUER: ${JSON.stringify(issuer)} must be an absolute http or https URL.`,
        `For example: SVC_OIDC_${name}_ISSUER=https://id.example.com`,
      )
    }
    return { name: name.toLowerCase(), issuer, clientId, clientSecret }
  })
}

/** For the operator's guide. */
export const identityProviderSettings = [
  {
    name: 'SVC_OIDC_<NAME>_ISSUER',
    fallback: '',
    about:
      'The OpenID Connect issuer of the sign-in provider <NAME> (GOOGLE, AZURE, KEYCLOAK, …). Not needed where it is ' +
      'known: Google, GitLab, Apple, Slack, LinkedIn. For GITHUB, the address of an own GitHub server.',
    example: 'https://id.example.com/realms/main',
  },
  {
    name: 'SVC_OIDC_<NAME>_CLIENT_ID',
    fallback: '',
    about: 'The client id registered there. Its redirect address is <public URL>/v1/auth/callback/<name>.',
    example: 'svc',
  },
  {
    name: 'SVC_OIDC_<NAME>_CLIENT_SECRET',
    fallback: '',
    about: 'The client secret registered there.',
    example: 'a long random text',
  },
]
