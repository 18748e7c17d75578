import type { AccessCapability } from '../access/index.ts'
import type { Identity } from '../identity/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Mail } from '../mail/index.ts'

/** What the functions of this capability share. */
export interface Parts {
  readonly kernel: Kernel
  readonly access: AccountAccess
  readonly identity: Pick<Identity, 'settings' | 'mintToken' | 'revokeTokens'>
  readonly mail: Mail
  /** Where people open this instance; known once the port is open. */
  readonly publicUrl: () => string
}

/** What this capability asks of access: roles are granted and taken there, never here. */
export type AccountAccess = Pick<
  AccessCapability,
  | 'isEntitled'
  | 'grantRole'
  | 'revokeRoles'
  | 'setAccountRole'
  | 'removeFromAccount'
  | 'claimPendingAssignments'
  | 'listMemberships'
  | 'readAccountRole'
  | 'noteChange'
>
