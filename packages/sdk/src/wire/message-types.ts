/** Token counts of one model step. `input` includes what was read from and written to the cache. */
export interface TokenUsage {
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cache: { readonly read: number; readonly write: number }
  readonly total?: number
}

/** The error a turn ended with, as the runtime stores it. */
export interface MessageError {
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Fields every part carries. */
export interface PartBase {
  readonly id: string
  readonly sessionID: string
  readonly messageID: string
}

export interface TextPart extends PartBase {
  readonly type: 'text'
  readonly text: string
  readonly synthetic?: boolean
  readonly ignored?: boolean
  readonly time?: { readonly start: number; readonly end?: number }
}

export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning'
  readonly text: string
  readonly time: { readonly start: number; readonly end?: number }
}

/** Where a tool call stands. */
export type ToolState =
  | { readonly status: 'pending'; readonly input: Readonly<Record<string, unknown>>; readonly raw: string }
  | {
      readonly status: 'running'
      readonly input: Readonly<Record<string, unknown>>
      readonly title?: string
      readonly metadata?: Readonly<Record<string, unknown>>
      readonly time: { readonly start: number }
    }
  | {
      readonly status: 'completed'
      readonly input: Readonly<Record<string, unknown>>
      readonly output: string
      readonly title: string
      readonly metadata: Readonly<Record<string, unknown>>
      readonly time: { readonly start: number; readonly end: number; readonly compacted?: number }
      readonly attachments?: readonly FilePart[]
    }
  | {
      readonly status: 'error'
      readonly input: Readonly<Record<string, unknown>>
      readonly error: string
      readonly metadata?: Readonly<Record<string, unknown>>
      readonly time: { readonly start: number; readonly end: number }
    }

export interface ToolPart extends PartBase {
  readonly type: 'tool'
  readonly callID: string
  readonly tool: string
  readonly state: ToolState
}

export interface FilePart extends PartBase {
  readonly type: 'file'
  readonly mime: string
  readonly filename?: string
  readonly url: string
}

export interface SubtaskPart extends PartBase {
  readonly type: 'subtask'
  readonly prompt: string
  readonly description: string
  readonly agent: string
  readonly model?: { readonly providerID: string; readonly modelID: string }
  readonly command?: string
}

export interface PatchPart extends PartBase {
  readonly type: 'patch'
  readonly hash: string
  readonly files: readonly string[]
}

export interface SnapshotPart extends PartBase {
  readonly type: 'snapshot'
  readonly snapshot: string
}

export interface AgentPart extends PartBase {
  readonly type: 'agent'
  readonly name: string
}

export interface RetryPart extends PartBase {
  readonly type: 'retry'
  readonly attempt: number
  readonly error: MessageError
  readonly time: { readonly created: number }
}

export interface CompactionPart extends PartBase {
  readonly type: 'compaction'
  readonly auto: boolean
  readonly overflow?: boolean
  readonly tail_start_id?: string
}

export interface StepStartPart extends PartBase {
  readonly type: 'step-start'
  readonly snapshot?: string
}

export interface StepFinishPart extends PartBase {
  readonly type: 'step-finish'
  readonly reason: string
  readonly snapshot?: string
  readonly cost: number
  readonly tokens: TokenUsage
}

/** One piece of a message, as the runtime sends it. */
export type Part =
  | TextPart
  | ReasoningPart
  | ToolPart
  | FilePart
  | SubtaskPart
  | PatchPart
  | SnapshotPart
  | AgentPart
  | RetryPart
  | CompactionPart
  | StepStartPart
  | StepFinishPart

export interface UserMessageInfo {
  readonly id: string
  readonly sessionID: string
  readonly role: 'user'
  readonly time: { readonly created: number }
  readonly agent: string
  readonly model: { readonly providerID: string; readonly modelID: string; readonly variant?: string }
  readonly summary?: { readonly title?: string; readonly body?: string; readonly diffs: readonly unknown[] }
}

export interface AssistantMessageInfo {
  readonly id: string
  readonly sessionID: string
  readonly role: 'assistant'
  readonly parentID: string
  readonly time: { readonly created: number; readonly completed?: number }
  readonly modelID: string
  readonly providerID: string
  readonly mode: string
  readonly agent: string
  readonly path: { readonly cwd: string; readonly root: string }
  readonly cost: number
  readonly tokens: TokenUsage
  readonly error?: MessageError
  readonly finish?: string
  readonly variant?: string
}

/** A message with its parts, as the runtime sends it. */
export interface Message {
  readonly info: UserMessageInfo | AssistantMessageInfo
  readonly parts: readonly Part[]
}

/** The least a part must have for the helpers; every other field is read only when it is there. */
export interface PartLike {
  readonly type: string
}

/** The least a message must have for the helpers. The caller's own objects are kept, never copied. */
export interface MessageLike {
  readonly info: { readonly id: string; readonly role: string }
  readonly parts: readonly PartLike[]
}

/** A part together with the message it belongs to. */
export interface TurnPart<M extends MessageLike = MessageLike> {
  readonly part: M['parts'][number]
  readonly message: M
}

/** A user message and the assistant messages that answer it. */
export interface Turn<M extends MessageLike = MessageLike> {
  readonly userMessage: M
  readonly assistantMessages: M[]
}

/** Whether a session is at work. An absent status means idle. */
export type SessionStatus =
  | { readonly type: 'idle' }
  | { readonly type: 'busy' }
  | { readonly type: 'retry'; readonly attempt: number; readonly message: string; readonly next: number }

/** The least a status must have for the helpers. */
export interface StatusLike {
  readonly type: string
}

/** Names the tool call a permission or a question belongs to. */
export interface ToolReference {
  readonly messageID: string
  readonly callID: string
}

export interface PermissionRequest {
  readonly id: string
  readonly sessionID: string
  readonly permission: string
  readonly patterns: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
  readonly always: readonly string[]
  readonly tool?: ToolReference
}

export interface QuestionRequest {
  readonly id: string
  readonly sessionID: string
  readonly questions: readonly {
    readonly question: string
    readonly header: string
    readonly options: readonly { readonly label: string; readonly description: string }[]
    readonly multiple?: boolean
    readonly custom?: boolean
  }[]
  readonly tool?: ToolReference
}
