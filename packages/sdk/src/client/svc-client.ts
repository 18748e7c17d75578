import type { AuthCalls } from '../auth/create-auth.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import type { ApiError } from '../errors/api-error.ts'
import type { AccountCalls, AccountInviteCalls, Identity, InstanceAuditCalls } from './account-calls.ts'
import type { Result } from './call-types.ts'
import type { GithubCalls } from './github-calls.ts'
import type { IamCalls, OAuthCalls } from './iam-calls.ts'
import type { OperatorCalls } from './operator-calls.ts'
import type { ProjectHandle, ProjectListCalls } from './project-calls.ts'

/** Whether a credential works. */
export interface TokenCheck {
  readonly valid: boolean
  readonly identity?: Identity
  readonly error?: ApiError
}

/** What `createSvc` gives. Calls reject with `ApiError`. */
export interface SvcClient {
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
  /** A handle; makes no request. */
  project(projectId: string): ProjectHandle
}
