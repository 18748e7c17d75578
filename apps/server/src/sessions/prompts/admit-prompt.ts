import { problem } from '../../kernel/http/index.ts'
import type { Admission } from '../lifecycle/running.ts'
import type { Parts } from '../parts.ts'
import type { SessionRow } from '../store/sessions.ts'

/** Makes a session ready for a prompt that goes to its runtime past the queue. */
export async function admitPrompt(parts: Parts, { sessionId }: SessionRow, agentName: string): Promise<Admission> {
  const running = parts.live.find(sessionId)
  if (!running) throw problem('sandbox_not_ready')
  return running.admitTurn(agentName)
}
