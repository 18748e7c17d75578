import type { Capability } from '../kernel/capability.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { ChangeRequestsOptions, Parts } from './parts.ts'
import { changeRequestRoutes } from './routes.ts'
import { settleMerge } from './settle-merge.ts'
import { listIntents } from './store.ts'

export { changeRequestChanged } from './events.ts'
export type { ChangeRequestsOptions } from './parts.ts'

export type ChangeRequests = ReturnType<typeof createChangeRequests>

const pageSize = 200

/** How work on a branch reaches the default branch. */
export function createChangeRequests(kernel: Kernel, options: ChangeRequestsOptions) {
  const parts: Parts = { ...options, kernel }
  const capability: Capability = { routes: changeRequestRoutes(parts) }
  return {
    ...capability,
    /** Before anybody is served: merges that a killed process had begun become merged or stay open. */
    async repair(): Promise<number> {
      let settled = 0
      let after: string | undefined
      for (;;) {
        const rows = await listIntents(kernel.database.db, after, pageSize)
        for (const row of rows) {
          await settleMerge(parts, row).catch((error: unknown) =>
            kernel.log.error('a merge that was cut off could not be settled', { cr_id: row.crId, error }),
          )
          settled += 1
        }
        after = rows.at(-1)?.crId
        if (rows.length < pageSize) return settled
      }
    },
  }
}
