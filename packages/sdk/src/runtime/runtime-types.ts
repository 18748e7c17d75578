import type { SessionStatus, TokenUsage } from '../wire/message-types.ts'

/** A model by its provider's name and its own. */
export interface ModelChoice {
  readonly providerID: string
  readonly modelID: string
}

/** One part of a prompt. */
export type RuntimePromptPart =
  | { readonly type: 'text'; readonly text: string; readonly synthetic?: boolean }
  | { readonly type: 'file'; readonly mime: string; readonly url: string; readonly filename?: string }
  | { readonly type: 'agent'; readonly name: string }
  | {
      readonly type: 'subtask'
      readonly prompt: string
      readonly description: string
      readonly agent: string
      readonly model?: ModelChoice
    }

/** What a conversation is asked. */
export interface PromptInput {
  readonly parts: readonly RuntimePromptPart[]
  readonly messageID?: string | undefined
  readonly model?: ModelChoice | undefined
  readonly agent?: string | undefined
  readonly noReply?: boolean | undefined
  readonly system?: string | undefined
  readonly tools?: Readonly<Record<string, boolean>> | undefined
  readonly variant?: string | undefined
}

/** A conversation inside a runtime. Times are epoch milliseconds. */
export interface RuntimeSession {
  readonly id: string
  readonly parentID?: string
  readonly title: string
  readonly directory: string
  readonly agent?: string
  readonly cost?: number
  readonly tokens?: TokenUsage
  readonly status?: SessionStatus
  readonly time: {
    readonly created: number
    readonly updated: number
    readonly compacting?: number
    readonly archived?: number
  }
  readonly revert?: { readonly messageID: string; readonly partID?: string }
}

export interface RuntimeTodo {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
  readonly priority: 'high' | 'medium' | 'low'
}

export interface RuntimeFileDiff {
  readonly file?: string
  readonly patch?: string
  readonly additions: number
  readonly deletions: number
  readonly status?: 'added' | 'deleted' | 'modified'
}

export interface RuntimeAgent {
  readonly name: string
  readonly description?: string
  readonly mode: 'primary' | 'subagent' | 'all'
  readonly hidden?: boolean
  readonly model?: ModelChoice
  readonly [field: string]: unknown
}

export interface RuntimeCommand {
  readonly name: string
  readonly description?: string
  readonly agent?: string
  readonly model?: string
  readonly source?: 'command' | 'mcp' | 'skill'
  readonly template: string
  readonly subtask?: boolean
  readonly hints: readonly string[]
}

export interface RuntimeSkill {
  readonly name: string
  readonly description?: string
  readonly location: string
  readonly content: string
}

export interface RuntimeProvider {
  readonly id: string
  readonly name: string
  readonly source: 'env' | 'config' | 'custom' | 'api'
  readonly models: Readonly<
    Record<string, { readonly id: string; readonly name: string; readonly [field: string]: unknown }>
  >
  readonly [field: string]: unknown
}

export interface RuntimePty {
  readonly id: string
  readonly title: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly status: 'running' | 'exited'
  readonly pid: number
  readonly exitCode?: number
}

/** A file or folder of a sandbox. */
export interface RuntimeFile {
  readonly name: string
  /** From `files.list` always absolute. */
  readonly path: string
  readonly absolute: string
  readonly type: 'file' | 'directory'
  readonly ignored: boolean
}

export interface RuntimeFileContent {
  readonly type: 'text' | 'binary'
  readonly content: string
  readonly encoding?: 'base64'
  readonly mimeType?: string
  readonly size?: number
  readonly patch?: unknown
}

export interface RuntimeFileStatus {
  readonly path: string
  readonly added: number
  readonly removed: number
  readonly status: 'added' | 'deleted' | 'modified'
}

export interface RuntimeTextMatch {
  readonly path: string
  readonly lines: string
  readonly line_number: number
  readonly absolute_offset: number
  readonly submatches: readonly { readonly start: number; readonly end: number }[]
}
