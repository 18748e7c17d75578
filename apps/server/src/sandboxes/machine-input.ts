import type { MachineResources, WorkspaceSource } from './provider.ts'

export interface CreateMachineInput {
  /** The session's id. */
  readonly sandboxId: string
  readonly projectId: string
  readonly accountId: string
  readonly provider?: string
  readonly templateSlug?: string
  /** The image that the template was built to; only where the provider has images. */
  readonly image?: string
  /** The template's own command, run at every start; only where there is an image. */
  readonly entrypoint?: string
  readonly resources?: MachineResources
  readonly workspace?: WorkspaceSource
}

/** Both null for the warm pool. */
export type MachineInput = Omit<CreateMachineInput, 'projectId' | 'accountId'> & {
  readonly projectId: string | null
  readonly accountId: string | null
}

export const defaultResources: MachineResources = { cpu: 2, memoryGb: 4, diskGb: 20 }
