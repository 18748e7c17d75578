import { operations } from '@svc/contract'
import { type Handled, handle, invalid } from '../../kernel/http/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isAllowEntry } from './allow-list.ts'
import { egressRulesChanged } from './rules.ts'
import { findRules, listLog, removeRules, setRules } from './store.ts'

const pageSize = 200

/** Where a project's sandboxes may connect to, and where they did. */
export function egressRoutes({ database }: Pick<Kernel, 'database'>): Handled[] {
  const ops = operations.sandboxes
  return [
    handle(ops.egress, ({ projectId }) => readRules(projectId)),
    handle(ops.updateEgress, async ({ projectId, accountId, actor, principal, body }) => {
      const { allow } = body
      const wrong = (allow ?? []).flatMap((entry, at) => (isAllowEntry(entry) ? [] : [at]))
      if (wrong.length > 0) {
        const message = 'must be a host, "*." and a host, or an address, each with an optional port'
        throw invalid(wrong.map((at) => ({ path: `allow[${at}]`, message })))
      }
      await database.transact(actor, async (tx) => {
        if (allow === null) await removeRules(tx.db, projectId)
        else await setRules(tx.db, { projectId, accountId, allow, updatedBy: principal.id })
        const resource = { resourceType: 'project', resourceId: projectId }
        await tx.audit({ action: 'sandbox.set_egress', accountId, projectId, ...resource, metadata: { allow } })
        await tx.publish(egressRulesChanged.event({ project_id: projectId }))
      })
      return readRules(projectId)
    }),
    handle(ops.egressLog, async ({ projectId, query }) => {
      const below = readCursor(query.cursor)
      const filter = { projectId, sandboxId: query.session_id, below, limit: pageSize + 1 }
      const found = await listLog(database.db, filter)
      const page = found.slice(0, pageSize)
      const items = page.map((row) => ({
        entry_id: String(row.entryId),
        session_id: row.sandboxId,
        host: row.host,
        port: row.port,
        outcome: row.outcome,
        connections: row.connections,
        bytes_in: row.bytesIn,
        bytes_out: row.bytesOut,
        started_at: row.startedAt.toISOString(),
        ended_at: row.endedAt.toISOString(),
      }))
      return { items, next_cursor: found.length > pageSize ? (items.at(-1)?.entry_id ?? null) : null }
    }),
  ]

  async function readRules(projectId: string) {
    const row = await findRules(database.db, projectId)
    return {
      mode: row ? ('listed' as const) : ('public' as const),
      allow: row?.allow ?? null,
      updated_at: row?.updatedAt.toISOString() ?? null,
    }
  }
}

function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw invalid([{ path: 'cursor', message: 'must be the next_cursor of an earlier answer' }])
}
