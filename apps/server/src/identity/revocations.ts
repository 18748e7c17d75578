import { z } from 'zod'
import type { Tx } from '../kernel/database/index.ts'
import { defineTopic } from '../kernel/events/index.ts'
import type { Kernel } from '../kernel/kernel.ts'

/** Credentials that no longer work: tokens, service accounts, sign-in sessions, by id. */
export const credentialRevoked = defineTopic('credential.revoked', z.object({ credential_ids: z.array(z.string()) }))

export interface Revocations {
  /** Every node forgets these credentials as soon as the transaction is committed. */
  announce(tx: Tx, credentialIds: readonly string[]): Promise<void>
  /** Told of revocations by any node; `undefined` when some may have been missed. */
  onRevoked(listener: (credentialIds: readonly string[] | undefined) => void): void
}

export function createRevocations(kernel: Kernel): Revocations {
  const listeners: ((credentialIds: readonly string[] | undefined) => void)[] = []
  const tell = (ids: readonly string[] | undefined) => {
    for (const listener of listeners) listener(ids)
  }
  kernel.events.subscribe(credentialRevoked, ({ credential_ids }) => tell(credential_ids), {
    onGap: () => tell(undefined),
  })
  return {
    async announce(tx, credentialIds) {
      if (credentialIds.length === 0) return
      await tx.publish(credentialRevoked.event({ credential_ids: [...credentialIds] }))
      // This node need not wait for its own event: whoever revoked sees it at once.
      tx.afterCommit(() => tell(credentialIds))
    },
    onRevoked: (listener) => void listeners.push(listener),
  }
}
