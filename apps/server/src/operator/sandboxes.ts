import type { Actor } from '../kernel/actor.ts'
import { decodeCursor, encodeCursor, problem } from '../kernel/http/index.ts'
import { type MachineStats, measureShown } from './measure-shown.ts'
import type { OperatorOptions } from './options.ts'
import { findSandbox, listSandboxRows, type SandboxRow } from './store.ts'

const bytesPerGb = 1024 ** 3

export async function listSandboxes(options: OperatorOptions, cursor: string | undefined, limit: number) {
  const [createdKey, sandboxId] = decodeCursor(cursor, ['time', 'uuid']) ?? []
  const before = createdKey === undefined || sandboxId === undefined ? undefined : ([createdKey, sandboxId] as const)
  const rows = await listSandboxRows(options.kernel.database.sql, { before, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const measure = (row: SandboxRow) => options.machines().measureMachine(row)
  const measured = await measureShown({ clock: options.kernel.clock, measure }, shown)
  return {
    next: last && encodeCursor([last.createdKey, last.sandboxId]),
    sandboxes: shown.map((row) => describe(row, measured.get(row.sandboxId))),
  }
}

function describe(row: SandboxRow, usage: MachineStats | undefined) {
  return {
    sandbox_id: row.sandboxId,
    provider: row.provider,
    template: row.template,
    status: row.status,
    status_detail: row.statusDetail,
    // A machine has the id of its session; one that belongs to no project waits for a session.
    session_id: row.projectId === null ? null : row.sandboxId,
    project_id: row.projectId,
    project_name: row.projectName,
    account_id: row.accountId,
    cpu: row.cpu,
    memory_limit_bytes: Math.round(row.memoryGb * bytesPerGb),
    memory_bytes: usage ? Math.round(usage.memoryBytes) : null,
    processes: usage?.processes ?? null,
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  }
}

/**
 * Only the server that has a machine ends it, unless that server is away: then what is left of it here is its row.
 * Recorded first: whoever asks later finds the order even where the machine did not end cleanly.
 */
export async function destroySandbox(options: OperatorOptions, sandboxId: string, actor: Actor): Promise<void> {
  const { database } = options.kernel
  const machine = await findSandbox(database.sql, sandboxId)
  if (!machine) throw problem('not_found', { say: 'There is no such machine.' })
  if (await options.isAtOtherServer(machine.nodeId)) {
    throw problem('sandbox_unreachable', {
      say: 'This machine is on another server of this instance.',
      next: 'Ask that server to remove it.',
    })
  }
  await database.transact(actor, (tx) =>
    tx.audit({
      action: 'operator.sandbox.destroy',
      outcome: 'success',
      resourceType: 'sandbox',
      resourceId: sandboxId,
      ...(machine.accountId === null ? {} : { accountId: machine.accountId }),
      ...(machine.projectId === null ? {} : { projectId: machine.projectId, sessionId: sandboxId }),
    }),
  )
  if (machine.projectId !== null) {
    await options.parkSession(actor, sandboxId, 'The operator of this instance removed the machine of this session.')
  }
  await options.machines().replaceMachine(sandboxId)
}
