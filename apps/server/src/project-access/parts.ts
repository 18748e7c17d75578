import type { AccessCapability } from '../access/index.ts'
import type { Accounts } from '../accounts/index.ts'
import type { Tokens } from '../identity/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Mail } from '../mail/index.ts'
import type { Repositories } from '../repositories/index.ts'
import type { Secrets } from '../secrets/index.ts'

/** What access to projects needs from the rest of the platform. */
export interface ProjectAccessOptions {
  readonly access: Pick<
    AccessCapability,
    'grantRole' | 'revokeRoles' | 'setAccountRole' | 'readAccountRole' | 'claimPendingAssignments'
  >
  /** Invitations are the account's: one per address, whatever it gives. */
  readonly invites: Accounts['invites']
  readonly tokens: Tokens
  readonly mail: Mail
  readonly repositories: Pick<Repositories, 'findRepository' | 'readDefaultManifest'>
  readonly secrets: Pick<Secrets, 'exists'>
  readonly publicUrl: () => string
}

export interface Parts extends ProjectAccessOptions {
  readonly kernel: Kernel
}
