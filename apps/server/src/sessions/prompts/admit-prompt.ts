import { problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import type { SessionRow } from '../store/sessions.ts'
import { findOpenTurn } from '../store/turns.ts'

/** Makes a session ready for a prompt that goes to its runtime past the queue. */
export async function admitPrompt(parts: Parts, { sessionId }: SessionRow, agentName: string): Promise<void> {
  const running = parts.live.find(sessionId)
  if (!running) throw problem('sandbox_not_ready')
  // One token at a time: another agent's grants must not reach a turn that runs.
  if (agentName !== running.scope.agent && (await findOpenTurn(parts.kernel.database.db, sessionId))) {
    throw problem('session_busy', {
      say: `The session works for the agent ${running.scope.agent} just now.`,
      next: 'Wait for the end of its turn, or send the prompt to the queue.',
    })
  }
  await running.prepareTurn(agentName)
}
