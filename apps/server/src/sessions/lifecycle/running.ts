import type { AgentRuntime, RuntimeTransport } from '../../runtimes/index.ts'
import type { Machine } from '../machine-source.ts'
import type { SessionRow } from '../store/sessions.ts'

/** A session whose runtime answers. */
export interface Running {
  readonly row: SessionRow
  readonly machine: Machine
  readonly runtime: AgentRuntime
  readonly send: RuntimeTransport
  readonly conversationId: string
}
