import type { AuthCalls } from '../auth/create-auth.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import type { ApiError } from '../errors/api-error.ts'
import type { RuntimeClient } from '../runtime/runtime-calls.ts'
import type { SessionCalls, SessionHandle } from '../session/session-handle.ts'
import type { AccountCalls, AccountInviteCalls, Identity, InstanceAuditCalls } from './account-calls.ts'
import type { BillingCalls } from './billing-calls.ts'
import type { Result } from './call-types.ts'
import type { GithubCalls } from './github-calls.ts'
import type { IamCalls, OAuthCalls } from './iam-calls.ts'
import type { OperatorCalls } from './operator-calls.ts'
import type { ProjectCalls, ProjectHandle, ProjectListCalls } from './project-calls.ts'
import type { SandboxShareCalls } from './project-sandbox-calls.ts'

/** Whether a credential works. */
export interface TokenCheck {
  readonly valid: boolean
  readonly identity?: Identity
  readonly error?: ApiError
}

/** The calls that need no handle. They reject with `ApiError`. */
export interface ServiceCalls {
  /** The object that was passed in. */
  readonly config: SvcConfig
  /** Whether the credential works, and whose it is. Never rejects. */
  validateToken(): Promise<TokenCheck>
  /** Whether managed sign-in to outside apps is set up. */
  connectStatus(): Result<'system.connectStatus'>
  readonly auth: AuthCalls
  readonly accounts: AccountCalls
  readonly accountInvites: AccountInviteCalls
  readonly iam: IamCalls
  readonly oauth: OAuthCalls
  readonly audit: InstanceAuditCalls
  readonly operator: OperatorCalls
  readonly projects: ProjectListCalls
  readonly github: GithubCalls
  readonly billing: BillingCalls
  readonly sandboxShares: SandboxShareCalls
}

/** What `createRest` gives: the calls of the service. */
export interface RestClient extends ServiceCalls {
  /** A handle; makes no request. */
  project(projectId: string): ProjectCalls
  /** A handle; makes no request. */
  session(projectId: string, sessionId: string): SessionCalls
}

/** What `createSvc` gives: the calls of the service, and sessions with the sandboxes they run in. */
export interface SvcClient extends ServiceCalls {
  /** A handle; makes no request. */
  project(projectId: string): ProjectHandle
  /** A handle; makes no request. */
  session(projectId: string, sessionId: string): SessionHandle
  /** The agent runtime of the session that was made ready last. Throws `RuntimeNotReadyError` while there is none. */
  runtime(): RuntimeClient
}
