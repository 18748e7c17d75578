import type { Readable } from 'node:stream'
import type { Topic } from '../kernel/events/index.ts'
import type { BootConfig } from '../sandboxes/index.ts'

export type MachineStatus = 'provisioning' | 'active' | 'stopped' | 'error' | 'archived'

/** The machine behind a session, as far as sessions need to know it. */
export interface Machine {
  readonly sandboxId: string
  readonly externalId: string
  readonly provider: string
  readonly status: MachineStatus
  readonly statusDetail: string | null
  readonly config: object
  readonly metadata: Record<string, unknown>
  readonly lastUsedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface MachineRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly signal?: AbortSignal
  /** On whose behalf; the daemon refuses everything outside `/svc/` without one. */
  readonly context?: {
    readonly userId: string
    readonly role: 'owner' | 'admin' | 'member' | 'platform_admin'
    readonly scopes: readonly string[]
  }
}

/** Where sessions get their machines. Every call is safe to repeat. */
export interface MachineSource {
  /** Ids of the enabled providers, the default first. */
  readonly providers: readonly string[]
  /** Throws `sandbox_provider_unavailable` with the fix unless the provider can run something now. */
  requireProvider(id: string): unknown
  findMachine(sandboxId: string): Promise<Machine | undefined>
  findByExternalId(externalId: string): Promise<Machine | undefined>
  createMachine(input: {
    readonly sandboxId: string
    readonly projectId: string
    readonly accountId: string
    readonly provider?: string
    readonly templateSlug?: string
    readonly workspace?: { readonly repositoryPath: string; readonly commit: string; readonly branch: string }
  }): Promise<Machine>
  startMachine(sandboxId: string, boot: Omit<BootConfig, 'serviceKey'>): Promise<Machine>
  stopMachine(sandboxId: string): Promise<void>
  destroyMachine(sandboxId: string): Promise<void>
  request(externalId: string, request: MachineRequest): Promise<{ readonly status: number; readonly body: Readable }>
  touch(sandboxId: string): void
  readonly machineChanged: Topic<{ sandbox_id: string; status: MachineStatus; detail: string | null }>
}
