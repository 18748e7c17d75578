import type { BootFile, RuntimeProcess, WarmRuntime } from '../sandboxes/index.ts'

export type { BootFile, WarmRuntime }

/** What one agent runtime can do; a capability it lacks answers 501 `feature_not_supported`. */
export interface RuntimeCapabilities {
  readonly questions: boolean
  readonly permissions: boolean
  readonly revert: boolean
  readonly commands: boolean
  readonly subtasks: boolean
  readonly resume: boolean
}

export interface RuntimeInput {
  readonly agentName: string
  /** Output of the compiled manifest and agent files; undefined boots with the repository's own files. */
  readonly compiled: CompiledConfig | undefined
  /** `provider/model` as the session resolved it. */
  readonly model: string
  /** Base of the model gateway as the machine reaches it, and the variable that holds its key. */
  readonly gatewayUrl: string
  readonly models: readonly RuntimeModel[]
  readonly skillsPath: string | undefined
  readonly asksQuestions: boolean
  /** The manifest's `opencode.config_dir`, relative to the workspace; undefined for the default. */
  readonly configDir?: string | undefined
  /** False for an agent without repository access: nothing of a workspace is read as configuration. */
  readonly hasRepository?: boolean
  /** Some hosts answer with certificates of the project's own authority, because secrets are put in on the way. */
  readonly meetsOwnCertificates?: boolean
  /** Offers the project's connectors as MCP tools. */
  readonly offersConnectors?: boolean
  /** What the agent is told about the secrets it may use; never a value. */
  readonly secretInstructions?: string | undefined
}

export interface RuntimeModel {
  readonly id: string
  readonly name: string
  readonly contextTokens: number
  readonly outputTokens: number
  readonly inputPrice: number
  readonly outputPrice: number
  readonly acceptsImages: boolean
}

export interface CompiledConfig {
  readonly etag: string
  readonly config: Readonly<Record<string, unknown>>
}

export interface PreparedRuntime {
  readonly process: RuntimeProcess
  readonly files: readonly BootFile[]
}

/** Sends one HTTP request to the runtime inside a machine; the body of the answer streams. */
export type RuntimeTransport = (request: {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly signal?: AbortSignal
}) => Promise<{ readonly status: number; readonly body: AsyncIterable<Uint8Array> }>

export interface PromptInput {
  readonly messageId: string
  readonly parts: readonly Readonly<Record<string, unknown>>[]
  readonly agent: string | undefined
  readonly model: { readonly providerID: string; readonly modelID: string } | undefined
  readonly variant: string | undefined
}

/** One event of the runtime in the dialect every client reads (`message.part.updated`, `session.idle`, …). */
export interface RuntimeEvent {
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
}

/** One runtime, as the platform drives it. The conversation's own storage is a cache: the platform keeps the log. */
export interface AgentRuntime {
  readonly kind: 'opencode' | 'pi'
  readonly capabilities: RuntimeCapabilities
  prepare(input: RuntimeInput): PreparedRuntime
  /** What waits in the warm pool for sessions of this runtime; only where it can learn of its session later. */
  prepareWarm?(): WarmRuntime
  /** The conversation to go on with, made when `conversationId` is undefined or unknown to the runtime. */
  open(send: RuntimeTransport, conversationId: string | undefined, title: string): Promise<{ conversationId: string }>
  /** Resolves when the runtime has taken the prompt; its work shows in the events. */
  prompt(send: RuntimeTransport, conversationId: string, prompt: PromptInput): Promise<void>
  abort(send: RuntimeTransport, conversationId: string): Promise<void>
  messages(send: RuntimeTransport, conversationId: string): Promise<readonly RuntimeMessage[]>
  isBusy(send: RuntimeTransport, conversationId: string): Promise<boolean>
  /** Questions and permission requests that wait for a person. */
  listAsks(send: RuntimeTransport): Promise<RuntimeAsks>
  /** Undefined answers reject the question. */
  answerQuestion(
    send: RuntimeTransport,
    requestId: string,
    answers: readonly (readonly string[])[] | undefined,
  ): Promise<void>
  answerPermission(
    send: RuntimeTransport,
    requestId: string,
    reply: 'once' | 'always' | 'reject',
    message?: string,
  ): Promise<void>
  /** Ends when the runtime's stream ends; the caller reconnects and reconciles with `messages`. */
  events(send: RuntimeTransport, signal: AbortSignal): AsyncIterable<RuntimeEvent>
}

export interface RuntimeAsks {
  readonly questions: readonly Readonly<Record<string, unknown>>[]
  readonly permissions: readonly Readonly<Record<string, unknown>>[]
}

export interface RuntimeMessage {
  readonly info: Readonly<Record<string, unknown>>
  readonly parts: readonly Readonly<Record<string, unknown>>[]
}
