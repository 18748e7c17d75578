import type { SandboxProvider } from './provider.ts'

/** A machine that runs, and how to talk to it. */
export interface OpenMachine {
  readonly externalId: string
  readonly sandboxId: string
  readonly provider: SandboxProvider
  readonly serviceKey: string
}
