import type { Identity } from '../identity/index.ts'
import type { HealthCheck } from '../kernel/capability.ts'
import type { RunnableJob } from '../kernel/jobs/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Mail } from '../mail/index.ts'

export interface OperatorOptions {
  readonly kernel: Kernel
  readonly version: string
  readonly settings: Identity['settings']
  readonly mail: Mail
  readonly checks: () => readonly HealthCheck[]
  /** Every job of the platform: a retried one gets as many attempts as it is defined with. */
  readonly jobs: () => readonly RunnableJob[]
}
