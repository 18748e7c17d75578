import type { Handled } from './http/index.ts'
import type { RunnableJob, Schedule } from './jobs/index.ts'

export interface PartHealth {
  readonly status: 'ok' | 'degraded' | 'down' | 'missing'
  readonly detail?: string
  readonly next?: string
}

/** A part that the platform consists of, and how to ask it how it is. Must answer quickly and never throw. */
export interface HealthCheck {
  readonly name: string
  /** The platform cannot take work without it. */
  readonly required: boolean
  readonly read: () => Promise<PartHealth>
}

/** What a capability brings to the platform. Its `index.ts` exports a function that makes one from the kernel. */
export interface Capability {
  readonly routes: readonly Handled[]
  readonly jobs?: readonly RunnableJob[]
  readonly schedules?: readonly Schedule[]
  readonly checks?: readonly HealthCheck[]
}
