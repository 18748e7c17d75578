import type { ModelChoice } from './settings.ts'

/** The shapes that clients of an agent runtime read. Times are epoch milliseconds. */

export interface SessionInfo {
  readonly id: string
  readonly slug: string
  readonly projectID: string
  readonly directory: string
  readonly title: string
  readonly version: string
  readonly parentID?: string
  readonly time: { readonly created: number; readonly updated: number; readonly archived?: number }
}

export interface Tokens {
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cache: { readonly read: number; readonly write: number }
  readonly total?: number
}

export interface UserInfo {
  readonly id: string
  readonly sessionID: string
  readonly role: 'user'
  readonly time: { readonly created: number }
  readonly agent: string
  readonly model: ModelChoice
}

export interface AssistantInfo {
  readonly id: string
  readonly sessionID: string
  readonly role: 'assistant'
  readonly parentID: string
  readonly time: { readonly created: number; readonly completed?: number }
  readonly providerID: string
  readonly modelID: string
  readonly agent: string
  readonly mode: string
  readonly path: { readonly cwd: string; readonly root: string }
  readonly cost: number
  readonly tokens: Tokens
  readonly finish?: string
  readonly error?: { readonly name: string; readonly data: Readonly<Record<string, unknown>> }
}

export interface Part {
  readonly id: string
  readonly sessionID: string
  readonly messageID: string
  readonly type: string
  readonly [field: string]: unknown
}

export interface Message {
  readonly info: UserInfo | AssistantInfo
  readonly parts: readonly Part[]
}

export type Status =
  | { readonly type: 'idle' }
  | { readonly type: 'busy' }
  | { readonly type: 'retry'; readonly attempt: number; readonly message: string; readonly next: number }

export const noTokens: Tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }
