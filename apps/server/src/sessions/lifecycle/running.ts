import type { AgentGrant } from '../../kernel/principal.ts'
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
  /** What its token and its environment give just now. */
  scope: SessionScope
  /** Before a prompt for an agent reaches the runtime; throws when that agent cannot work now. */
  readonly prepareTurn: (agentName: string) => Promise<void>
}

/** What a session may use at one moment: the grants on its token, and the values in its environment by their digests. */
export interface SessionScope {
  readonly agent: string
  readonly grant: AgentGrant
  /** Whose own values are among them. */
  readonly personalOf: string | undefined
  readonly values: ReadonlyMap<string, string>
  /** Tells whether anything of it changed. */
  readonly revision: string
}
