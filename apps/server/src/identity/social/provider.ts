/** What a provider says about a person. */
export interface Profile {
  readonly subject: string
  /** Only an address that the provider itself has verified. */
  readonly verifiedEmail: string | undefined
  readonly name: string | undefined
}

export interface SignInAttempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Our own address, which the provider sends the browser back to. */
  readonly callbackUrl: string
}

export interface SocialProvider {
  readonly name: string
  authorizationUrl(attempt: SignInAttempt, scopes: string | undefined): Promise<string>
  /** Takes the address the browser came back to, with all its parameters. */
  readProfile(returnedTo: URL, attempt: SignInAttempt): Promise<Profile>
}

/** Thrown when the provider cannot be reached; what it refuses is an ordinary error. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable'
}
