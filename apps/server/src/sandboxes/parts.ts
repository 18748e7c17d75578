import type { Kernel } from '../kernel/kernel.ts'
import type { DaemonClients } from './daemon-clients.ts'
import type { WithLock } from './keyed-lock.ts'
import type { SandboxProvider } from './provider.ts'

/** What the steps of this capability share. */
export interface Parts {
  readonly kernel: Kernel
  readonly nodeId: string
  /** Where the host users of machines come from; undefined where the platform cannot switch users. */
  readonly uids: { readonly firstUid: number; readonly count: number } | undefined
  requireProvider(id: string): SandboxProvider
  readonly defaultProvider: string
  readonly withLock: WithLock
  readonly clients: DaemonClients
}
