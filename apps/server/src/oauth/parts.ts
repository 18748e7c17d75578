import type { Revocations } from '../identity/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Principal } from '../kernel/principal.ts'

/** What the functions of this capability share. */
export interface Parts {
  readonly kernel: Kernel
  readonly revocations: Revocations
  /** Where people open this instance; known once the port is open. */
  readonly publicUrl: () => string
  /** The account of a caller who names none. */
  readonly defaultAccount: (principal: Principal) => Promise<string>
}
