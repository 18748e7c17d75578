import type { AgentRuntime, RuntimeTransport } from '../../runtimes/index.ts'
import type { Machine } from '../machine-source.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { SessionScope } from './session-scope.ts'

/** A session whose runtime answers. */
export interface Running {
  readonly row: SessionRow
  readonly machine: Machine
  readonly runtime: AgentRuntime
  readonly send: RuntimeTransport
  readonly conversationId: string
  /** What its token and its environment give just now. */
  scope: SessionScope
  /** Before a prompt for an agent reaches the runtime; throws when that agent cannot work now. */
  readonly prepareTurn: (agentName: string) => Promise<void>
}
