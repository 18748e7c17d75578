import type { Identity } from '../identity/index.ts'
import type { Actor } from '../kernel/actor.ts'
import type { HealthCheck } from '../kernel/capability.ts'
import type { RunnableJob } from '../kernel/jobs/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Mail } from '../mail/index.ts'
import type { Sandboxes } from '../sandboxes/index.ts'

export interface OperatorOptions {
  readonly kernel: Kernel
  readonly version: string
  readonly settings: Identity['settings']
  readonly mail: Mail
  readonly checks: () => readonly HealthCheck[]
  readonly machines: () => Pick<Sandboxes, 'measureMachine' | 'replaceMachine'>
  /** Whether another server, which is there now, has the machines of this data directory. */
  readonly isAtOtherServer: (nodeId: string) => Promise<boolean>
  /** Parks the session of a machine, if it has one. */
  readonly parkSession: (actor: Actor, sessionId: string, detail: string) => Promise<void>
  /** Every job of the platform: a retried one gets as many attempts as it is defined with. */
  readonly jobs: () => readonly RunnableJob[]
}
