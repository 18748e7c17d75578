import type { Daemon } from '../daemon.ts'
import { refuse } from '../http/reply.ts'
import { callRuntime } from './call-runtime.ts'

/** `POST /svc/abort`: ends the turn of the session's conversation. */
export async function abortTurn(daemon: Daemon): Promise<{ ok: true; opencode_session_id: string }> {
  const { conversationId } = daemon
  if (conversationId === undefined) throw refuse(409, 'no_conversation', 'This session has no conversation yet.')
  try {
    await callRuntime(daemon, 'POST', `/session/${encodeURIComponent(conversationId)}/abort`)
  } catch (error) {
    throw refuse(502, 'abort_failed', error instanceof Error ? error.message : String(error))
  }
  return { ok: true, opencode_session_id: conversationId }
}
