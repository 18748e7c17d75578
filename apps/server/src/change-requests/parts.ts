import type { Kernel } from '../kernel/kernel.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Repositories } from '../repositories/index.ts'

export interface ChangeRequestsOptions {
  readonly repositories: Repositories
  /** Where a session is, for somebody who may open it; throws 404 for everybody else. */
  readonly openSession?: (principal: Principal, sessionId: string) => Promise<{ readonly projectId: string }>
  /**
   * Hands feedback to the session a request came from, waking it if it sleeps, and says whether that was begun. It must
   * not wait for the agent.
   */
  readonly deliverFeedback?: (feedback: {
    readonly projectId: string
    readonly sessionId: string
    readonly crId: string
    readonly text: string
  }) => Promise<boolean>
}

export interface Parts extends ChangeRequestsOptions {
  readonly kernel: Kernel
}
