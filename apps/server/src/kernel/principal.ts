import type { Actor } from './actor.ts'

/** What an agent's session may use, as its manifest grants it. */
export interface AgentGrant {
  readonly agent: string
  readonly connectors: 'all' | readonly string[]
  readonly svc_cli: 'all' | readonly string[]
  readonly env: 'all' | readonly string[]
}

export type AuthType = 'session' | 'pat' | 'oauth' | 'service_account' | 'api_key'

/** Whoever is behind a credential, and what the credential itself narrows. What they may do is for access to decide. */
export interface Principal {
  readonly kind: 'anonymous' | 'user' | 'service_account'
  /** The user or service account; empty for nobody. */
  readonly id: string
  readonly email: string | undefined
  readonly authType: AuthType | undefined
  /** The token or sign-in session that was presented. */
  readonly credentialId: string | undefined
  /** When the credential ends by itself. Undefined for one that never does, and for a sign-in session, which is renewed. */
  readonly expiresAt?: Date | undefined
  /** The account the credential belongs to; a sign-in session belongs to none. */
  readonly homeAccountId: string | undefined
  /** The one project the credential works for. */
  readonly boundProjectId: string | undefined
  /** The agent session a session token belongs to, and what its agent may use. */
  readonly sessionId: string | undefined
  readonly agentGrant: AgentGrant | undefined
  /** Launched by a trigger: the agent grant alone decides. */
  readonly isAutomation: boolean
  /** Scopes of an OAuth access token. */
  readonly scopes: readonly string[] | undefined
  readonly isOperator: boolean
  readonly actor: Actor
}

export function anonymousPrincipal(actor: Actor): Principal {
  return {
    kind: 'anonymous',
    id: '',
    email: undefined,
    authType: undefined,
    credentialId: undefined,
    homeAccountId: undefined,
    boundProjectId: undefined,
    sessionId: undefined,
    agentGrant: undefined,
    isAutomation: false,
    scopes: undefined,
    isOperator: false,
    actor,
  }
}
