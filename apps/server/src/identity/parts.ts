import type { Tx } from '../kernel/database/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Mail } from '../mail/index.ts'
import type { InstanceSettingsStore } from './instance/settings.ts'
import type { Tokens } from './mint-token.ts'
import type { Passwords } from './passwords/hash-password.ts'
import type { Revocations } from './revocations.ts'

/** What the functions of this capability share. */
export interface Parts {
  readonly kernel: Kernel
  readonly mail: Mail
  readonly passwords: Passwords
  readonly settings: InstanceSettingsStore
  readonly revocations: Revocations
  readonly revokeTokens: Tokens['revokeTokens']
  /** Ends what this person ever allowed other apps. */
  readonly endAppAccess: (tx: Tx, userId: string) => Promise<void>
  /** Where people open this instance; known once the port is open. */
  readonly publicUrl: () => string
  /** Whether an account has invited this address. */
  readonly hasPendingInvite: (email: string) => Promise<boolean>
}
