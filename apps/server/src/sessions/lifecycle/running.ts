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
  /** Prompts that went past the queue and whose turns are not known yet; all for the agent of the scope. */
  readonly admitted: Set<Admitted>
  /** Before a prompt of the queue reaches the runtime in its turn; throws when its agent cannot work now. */
  readonly prepareTurn: (agentName: string, turnToken: string) => Promise<void>
  /** The same for one that goes past the queue. */
  readonly admitTurn: (agentName: string) => Promise<Admission>
}

/** A prompt that goes to the runtime past the queue. Whoever passes it on says whether the runtime took it. */
export interface Admission {
  end(isTaken: boolean): void
}

/** What was let past, until its turn is known. */
export interface Admitted {
  readonly at: Date
  endedAtMs: number | undefined
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
