import type { Entitlement } from '@svc/contract'
import type { Tx } from '../kernel/database/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { AssignmentContext } from './assignments/revoke-roles.ts'
import type { FactsSource } from './facts-source.ts'
import type { AccountSelection } from './gate/select-account.ts'

export interface RevokedProjectRole {
  readonly accountId: string
  readonly projectId: string
  readonly principal: { readonly type: string; readonly id: string }
}

/** What the routes of this capability share. */
export interface Access {
  readonly kernel: Kernel
  readonly facts: FactsSource
  readonly accounts: AccountSelection
  readonly context: AssignmentContext
  countOwners(accountId: string, tx?: Tx): Promise<number>
  /** Throws 402 unless the account's plan includes it. */
  requireEntitlement(entitlement: Entitlement, accountId: string): Promise<void>
  endServiceAccount(tx: Tx, serviceAccountId: string): Promise<void>
  /** Called before somebody's role on a project is taken away. */
  forgetOffers(tx: Tx, revoked: RevokedProjectRole): Promise<void>
}
