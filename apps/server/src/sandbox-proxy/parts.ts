import type { Duplex } from 'node:stream'
import type { PreviewCredentials } from '../identity/index.ts'
import type { PreviewHosts } from '../kernel/http/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Principal } from '../kernel/principal.ts'
import type { UserContext } from '../sandboxes/index.ts'
import type { MachineQuestion } from '../sessions/index.ts'

/** A session that the caller may open, and the machine behind it. */
export interface OpenedSession {
  readonly sessionId: string
  readonly projectId: string
  readonly accountId: string
  readonly agentName: string
  readonly isActive: boolean
  /** Whether its machine is on another server of the instance, which alone reaches into it. */
  readonly isElsewhere: boolean
}

export interface PromptFacts {
  readonly kind: 'message' | 'prompt_async' | 'command'
  readonly agent: string | undefined
}

/** No other agent gets the session's token until it is known what became of the prompt, and until its turn has ended. */
export interface Admission {
  end(isTaken: boolean): void
}

/** What a public link opens. */
export interface SessionShare {
  readonly sessionId: string
  readonly resourceType: 'preview' | 'file'
  readonly port: number | null
  readonly filePath: string | null
  readonly mode: 'view' | 'interactive'
  readonly label: string | null
  readonly expiresAt: Date | null
}

export interface ShareUse {
  /** False for the question whether a link that was opened is still good, which is no further use of it. */
  readonly counts?: boolean
}

export interface ProxyOptions {
  readonly sandboxes: {
    /** A connection to a port of the machine; 8000 is its daemon. */
    connect(externalId: string, port: number): Promise<Duplex>
    /** What the daemon asks of the platform: the machine's key, and on whose behalf. */
    daemonHeaders(externalId: string, context: UserContext): Promise<Readonly<Record<string, string>>>
    findMachine(sandboxId: string): Promise<{ readonly externalId: string; readonly status: string } | undefined>
  }
  readonly sessions: {
    /** Throws 404 unless the caller may open the session on this machine. */
    openMachine(principal: Principal, externalId: string, asked?: MachineQuestion): Promise<OpenedSession>
    /** Begins to ask what `openMachine` has to know; says nothing about who may. */
    askMachine(principal: Principal, externalId: string): MachineQuestion
    /** A public link to a preview or file of a session, by its token: 404 when unknown, 410 when it has ended. */
    openShare(token: string, use?: ShareUse): Promise<{ readonly share: SessionShare }>
    /** Brings a parked session back; does not wait for it. */
    wake(sessionId: string): Promise<void>
    noteActivity(sessionId: string, kind: 'turn' | 'preview' | 'request', fromInside: boolean): void
    /** Throws unless this caller may prompt this session so; the configuration in the machine is current after it. */
    admitPrompt(principal: Principal, session: OpenedSession, prompt: PromptFacts): Promise<Admission>
  }
  readonly previews: PreviewCredentials
  /** Whether a text is a credential of the platform, or made to look like one. */
  readonly isCredential: (value: string) => Promise<boolean>
  readonly hosts: PreviewHosts
  readonly publicUrl: () => string
}

export interface Parts extends ProxyOptions {
  readonly kernel: Kernel
}
