import type { Kernel } from '../kernel/kernel.ts'
import type { WithLock } from '../kernel/keyed-lock.ts'
import type { DaemonClients } from './daemon-clients.ts'
import type { MachineInput } from './machine-input.ts'
import type { SandboxProvider } from './provider.ts'
import type { MachineRow } from './store.ts'

/** What the steps of this capability share. */
export interface Parts {
  readonly kernel: Kernel
  readonly nodeId: string
  /** Where the host users of machines come from; undefined where the platform cannot switch users. */
  readonly uids: { readonly firstUid: number; readonly count: number } | undefined
  requireProvider(id: string): SandboxProvider
  readonly defaultProvider: string
  /** A machine of the warm pool that fits, now the session's; undefined when there is none. */
  claimWarm(input: MachineInput, provider: SandboxProvider): Promise<MachineRow | undefined>
  readonly withLock: WithLock
  readonly clients: DaemonClients
}
