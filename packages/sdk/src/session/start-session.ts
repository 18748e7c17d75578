import { callService } from '../client/build-calls.ts'
import { parseCall } from '../client/parse-calls.ts'
import type { ConfigSource } from '../config/svc-config.ts'
import { ApiError } from '../errors/api-error.ts'
import { SessionStartError } from '../errors/session-errors.ts'
import type { SessionStart } from '../generated/operations.ts'
import { sleep } from '../http/send-request.ts'
import { runtimeUrlOf } from '../runtime/active-runtime.ts'
import { firstText, toRecord } from '../wire/read-value.ts'
import { isFresh, type SessionRuntime } from './session-registry.ts'

const HOLD_MS = 8000
const PAUSE_MS = 1000

/** One start request; null when it failed in a way that may pass. */
export async function startOnce(
  source: ConfigSource,
  projectId: string,
  sessionId: string,
  waitMs?: number,
): Promise<SessionStart | null> {
  const call = parseCall(['Qprojects/:/sessions/:/start', 'wait_ms'])
  try {
    const reply = await callService(source, call, [projectId, sessionId, waitMs], { silent: true })
    return reply as SessionStart
  } catch (error) {
    const { status, code, message } = toRecord(error)
    const isPassing = /^(5..|408|429|undefined (NETWORK_ERROR|TIMEOUT))/.test(`${status} ${code}`)
    if (isPassing || (status === 404 && isFresh(sessionId))) return null
    if (typeof status !== 'number') throw error
    throw new SessionStartError(String(message), { status, code: firstText(code), terminal: true })
  }
}

/** Asks for the start until the session answers, its start is over without success, or the time is up. */
export async function waitForStart(
  source: ConfigSource,
  projectId: string,
  sessionId: string,
  timeoutMs: number,
): Promise<SessionRuntime> {
  const endsMs = Date.now() + timeoutMs
  const { backendUrl } = source()
  for (;;) {
    // Another service does not know this session, and must not be told to start it.
    if (source().backendUrl !== backendUrl)
      throw new ApiError('Another service was configured.', { code: 'RUNTIME_UNAVAILABLE' })
    const leftMs = Math.max(0, endsMs - Date.now())
    const reply = await startOnce(source, projectId, sessionId, Math.floor(Math.min(HOLD_MS, leftMs)))
    const { stage, retriable, sandbox, opencode_session_id: opencodeSessionId } = toRecord(reply)
    const sandboxId = firstText(toRecord(sandbox).external_id)
    if (stage === 'ready' && sandboxId && typeof opencodeSessionId === 'string' && opencodeSessionId) {
      return { opencodeSessionId, sandboxId, runtimeUrl: runtimeUrlOf(source(), sandboxId) }
    }
    const isOver = reply && (stage === 'ready' || !retriable)
    const restMs = endsMs - Date.now()
    if (isOver || restMs <= 0) {
      const { failure, reason } = toRecord(reply)
      const why = firstText(toRecord(failure).message, reason, stage) ?? 'no answer'
      throw new ApiError(`The session is not ready: ${why}.`, { code: 'RUNTIME_UNAVAILABLE', details: reply })
    }
    await sleep(Math.min(PAUSE_MS, restMs))
  }
}
