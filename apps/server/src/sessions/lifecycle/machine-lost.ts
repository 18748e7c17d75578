import { systemActor } from '../../kernel/actor.ts'
import type { MachineStatus, Parts } from '../parts.ts'
import { hasQueued } from '../store/prompts.ts'
import { findSession } from '../store/sessions.ts'
import { requestBoot } from './claim-boot.ts'
import { stopSession } from './stop-session.ts'

/** A machine that dies again this soon is not started by itself. */
const crashLoopMs = 60_000

/** A machine ended that nobody stopped: its session is parked and says why; prompts that wait bring it back. */
export async function noteMachine(
  parts: Parts,
  { sandbox_id: sessionId, status, detail }: { sandbox_id: string; status: MachineStatus; detail: string | null },
): Promise<void> {
  if (status !== 'error' || !parts.live.find(sessionId)) return
  await loseRuntime(parts, sessionId, detail ?? 'The machine of this session ended by itself.')
}

/** The same for a runtime that no longer answers in a machine that does. */
export async function loseRuntime(parts: Parts, sessionId: string, why: string): Promise<void> {
  const { kernel } = parts
  if (parts.live.isStopping()) return
  const row = await findSession(kernel.database.db, sessionId)
  if (row?.status !== 'running') return
  await stopSession(parts, systemActor, sessionId, { action: 'session.machine_lost', detail: why })
  const wasUpMs = kernel.clock.nowMs() - (row.readyAt?.getTime() ?? 0)
  if (wasUpMs > crashLoopMs && (await hasQueued(kernel.database.db, sessionId))) await requestBoot(parts, sessionId)
}
