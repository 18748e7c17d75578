import { expect, test } from 'vitest'
import { readIdentityProviders } from './identity-providers.ts'

const client = (name: string) => ({
  [`SVC_OIDC_${name}_CLIENT_ID`]: 'id',
  [`SVC_OIDC_${name}_CLIENT_SECRET`]: 'hunter2',
})

test('providers are found by their names; known issuers need not be written', () => {
  const found = readIdentityProviders({
    ...client('GOOGLE'),
    ...client('GITHUB'),
    ...client('LINKEDIN_OIDC'),
    ...client('KEYCLOAK'),
    SVC_OIDC_KEYCLOAK_ISSUER: 'https://id.example.com/realms/main',
    PATH: '/bin',
  })
  expect(found.map(({ name, issuer }) => [name, issuer])).toEqual([
    ['github', undefined],
    ['google', 'https://accounts.google.com'],
    ['keycloak', 'https://id.example.com/realms/main'],
    ['linkedin_oidc', 'https://www.linkedin.com/oauth'],
  ])
})

test.each([
  [{ SVC_OIDC_GOOGLE_CLIENT_ID: 'id' }, 'SVC_OIDC_GOOGLE_CLIENT_SECRET'],
  [client('WORKOS'), 'SVC_OIDC_WORKOS_ISSUER'],
  [{ ...client('AZURE'), SVC_OIDC_AZURE_ISSUER: 'login.example.com' }, 'SVC_OIDC_AZURE_ISSUER'],
])('%j ends the start, names the variable and shows no secret', (env, name) => {
  expect(() => readIdentityProviders(env)).toThrow(name)
  expect(() => readIdentityProviders(env)).not.toThrow('hunter2')
})
