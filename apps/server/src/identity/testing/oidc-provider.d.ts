/** The part of the package that the tests use; it ships no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  interface Account {
    accountId: string
    claims(): Promise<Record<string, unknown>>
  }

  export default class Provider {
    constructor(
      issuer: string,
      configuration: {
        clients: Record<string, unknown>[]
        claims: Record<string, string[]>
        cookies: { keys: string[] }
        pkce: { required: () => boolean }
        findAccount: (context: unknown, id: string) => Promise<Account>
      },
    )
    callback(): RequestListener
  }
}
