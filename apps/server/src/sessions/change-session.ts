import type { operations } from '@svc/contract'
import { type Call, problem } from '../kernel/http/index.ts'
import { openSession, requireLifecycle } from './access.ts'
import { checkMetadata } from './create/check-input.ts'
import { describeChange } from './create/create-session.ts'
import { sessionChanged } from './events.ts'
import { stopSession } from './lifecycle/stop-session.ts'
import type { Parts } from './parts.ts'
import { describeSession } from './session-record.ts'
import { isElsewhere } from './sessions-here.ts'
import { changeSession, lockSession } from './store/sessions.ts'

type Ops = typeof operations.sessions

const serverManaged = ['status', 'sandbox_url', 'error', 'opencode_session_id']

export async function updateSession(parts: Parts, call: Call<Ops['update']>) {
  const { name, metadata, ...others } = call.body
  refuseOthers(Object.keys(others))
  checkMetadata(metadata, 'update')
  const { row, viewer } = await openSession(parts, call)
  const changed = await parts.kernel.database.transact(call.actor, async (tx) => {
    const current = await lockSession(tx.db, row.sessionId)
    if (!current) throw problem('not_found')
    const next = await changeSession(tx.db, row.sessionId, {
      ...(name === undefined ? {} : { customName: name?.trim() || null }),
      ...(metadata === undefined ? {} : { metadata: { ...current.metadata, ...metadata } }),
    })
    await tx.audit({
      action: 'session.update',
      sessionId: row.sessionId,
      resourceType: 'session',
      resourceId: row.sessionId,
      metadata: { renamed: name !== undefined, keys: Object.keys(metadata ?? {}).slice(0, 50) },
    })
    await tx.publish(sessionChanged.event(describeChange(current)))
    return next
  })
  return describeSession(parts, viewer, changed ?? row)
}

function refuseOthers(keys: readonly string[]): void {
  const [key] = keys
  if (key === undefined) return
  const why = serverManaged.includes(key) ? 'field is server-managed' : 'field is not user-editable'
  throw problem('validation_failed', {
    say: `${why}: ${key}`,
    extras: { issues: keys.map((path) => ({ path, message: why })) },
  })
}

/** Machine and token end, the branch stays. Whoever asks for the session from now on finds none. */
export async function deleteSession(parts: Parts, call: Call<Ops['remove']>) {
  const opened = await openSession(parts, call)
  requireLifecycle(opened)
  const { sessionId } = opened.row
  await stopSession(parts, call.actor, sessionId, { action: undefined })
  await parts.kernel.database.transact(call.actor, async (tx) => {
    const row = await lockSession(tx.db, sessionId)
    if (!row || row.deletedAt !== null) return
    const deletedAt = parts.kernel.clock.now()
    const gone = await changeSession(tx.db, sessionId, {
      status: 'stopped',
      operationId: null,
      deletedAt,
      deletedBy: call.principal.id || null,
    })
    await parts.tokens.revokeTokens(tx, { sessionId, kind: 'session' })
    await tx.audit({ action: 'session.delete', sessionId, resourceType: 'session', resourceId: sessionId })
    if (gone) await tx.publish(sessionChanged.event(describeChange(gone)))
  })
  if (!isElsewhere(parts, opened.row)) await parts.sandboxes.destroyMachine(sessionId)
  return { ok: true as const }
}
