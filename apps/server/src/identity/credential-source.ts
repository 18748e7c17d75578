import type { ActorSource, ActorType } from '../kernel/actor.ts'
import type { Principal } from '../kernel/principal.ts'
import type { TokenPrefix } from '../kernel/tokens/index.ts'

/** What is behind a credential: whose it is and what it narrows. */
export interface FoundCredential {
  readonly principal: Omit<Principal, 'actor' | 'credentialId'> & { readonly credentialId: string }
  /** Who acts, for the audit log; the request's own facts are added to it. */
  readonly actor: {
    readonly type: ActorType
    readonly source: ActorSource
    readonly agentName?: string
    readonly initiatorType?: ActorType
    readonly initiatorId?: string
  }
  readonly expiresAt: Date | null
  /** Undefined where the last use is not kept. */
  readonly lastUsedAt?: Date | null
}

/** One family of credentials: how one of them is found by its hash. */
export interface CredentialSource {
  /** Undefined for sign-in sessions, which have no prefix. */
  readonly prefix: TokenPrefix | undefined
  /** The live credential; undefined for an unknown, revoked, disabled or expired one. */
  find(hash: string): Promise<FoundCredential | undefined>
  /** Writes down that these were used. Called rarely and in batches; nobody waits for it. */
  recordUse?(credentialIds: readonly string[], at: Date): Promise<void>
  /** True where a credential of this family works; others answer 401. Default: everywhere. */
  worksAt?(path: string): boolean
}

/** What most principals have in common. */
export const plainPrincipal = {
  email: undefined,
  homeAccountId: undefined,
  boundProjectId: undefined,
  sessionId: undefined,
  agentGrant: undefined,
  isAutomation: false,
  scopes: undefined,
  isOperator: false,
} as const
