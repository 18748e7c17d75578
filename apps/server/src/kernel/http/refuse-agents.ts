import type { Principal } from '../principal.ts'
import { problem } from './problem.ts'

/** What a person decides, and no agent on their behalf. */
export function refuseAgents({ agentGrant, sessionId }: Principal, what: string): void {
  if (agentGrant === undefined && sessionId === undefined) return
  throw problem('forbidden', { say: `An agent may not ${what}.`, next: 'Ask a person to do it.' })
}
