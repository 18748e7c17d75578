import type { Body, Result } from '../client/call-types.ts'
import type { EventStreamHandle, EventStreamOptions } from '../events/open-event-stream.ts'
import type { FilesClient } from '../files/create-files.ts'
import type { SessionStart } from '../generated/operations.ts'
import type { SessionHealth } from '../runtime/get-session-health.ts'
import type { AssistantMessage, RuntimeClient, RuntimeSessionCalls } from '../runtime/runtime-calls.ts'
import type { ModelChoice } from '../runtime/runtime-types.ts'
import type { SessionRuntime } from './session-registry.ts'

/** Which messages to read: the newest `limit`, before a message. */
export interface MessageQuery {
  readonly limit?: number | undefined
  readonly before?: string | undefined
}

/** How to follow a session. */
export type SessionStreamOptions = Omit<EventStreamOptions, 'client'>

/** What a prompt is answered with: this call's choice, else the handle's, else the session's own. */
export interface SendOptions {
  readonly model?: ModelChoice | undefined
  readonly agent?: string | undefined
}

/** The calls of a session that need no sandbox. */
export interface SessionCalls {
  get(): Result<'session.get'>
  update(input: Body<'session.update'>): Result<'session.update'>
  delete(): Result<'session.delete'>
  restart(): Result<'session.restart'>
  stop(): Result<'session.stop'>
  setSharing(intent: Body<'session.setSharing'>): Result<'session.setSharing'>
  commit(input?: Body<'session.commit'>): Result<'session.commit'>
  /** At most `limit` messages, each cut at `chars` characters. */
  transcript(options?: {
    readonly limit?: number | undefined
    readonly chars?: number | undefined
  }): Result<'session.transcript'>
  audit(
    limit?: number,
    options?: { readonly cursor?: string | undefined; readonly includeEvents?: boolean | undefined },
  ): Result<'session.audit'>
  previews(): Result<'session.previews'>
  readonly publicShares: {
    list(): Result<'session.publicShares.list'>
    create(input: Body<'session.publicShares.create'>): Result<'session.publicShares.create'>
    revoke(shareId: string): Result<'session.publicShares.revoke'>
  }
  /** The queue of prompts: each runs once. */
  readonly prompts: {
    send(input: Body<'session.prompts.send'>): Result<'session.prompts.send'>
    list(): Result<'session.prompts.list'>
    cancel(promptId: string): Result<'session.prompts.cancel'>
    retry(promptId: string): Result<'session.prompts.retry'>
    hold(held: boolean): Result<'session.prompts.hold'>
  }
  /** Whether it is working: an empty list says no. */
  turn(): Result<'session.turn'>
  /** The conversation as last known, also while the machine is stopped. */
  storedMessages(query?: MessageQuery): Result<'session.storedMessages'>
  scope(): Result<'session.scope'>
  rescope(input: Body<'session.rescope'>): Result<'session.rescope'>
  changeModel(model: string): Result<'session.changeModel'>
  configState(): Result<'session.configState'>
  reloadConfig(input?: Body<'session.reloadConfig'>): Result<'session.reloadConfig'>
  /** A question that is still open, also while the machine is stopped. */
  question(): Result<'session.question'>
  answerQuestion(
    answers: Body<'session.answerQuestion'>['answers'],
    requestId?: string,
  ): Result<'session.answerQuestion'>
}

/** `svc.session(projectId, sessionId)`: one session and the sandbox it runs in. */
export interface SessionHandle extends SessionCalls {
  readonly projectId: string
  readonly sessionId: string
  /** One request; null when it failed in a way that may pass. */
  start(waitMs?: number): Promise<SessionStart | null>
  cost(): Result<'session.cost'>
  /** Waits until the sandbox answers. Callers of the same session share one start. */
  ensureReady(options?: { readonly readyTimeoutMs?: number | undefined }): Promise<SessionRuntime>
  /** Never rejects because the session is not ready: `{ status: 0, ok: false }`. */
  health(init?: RequestInit): Promise<SessionHealth>
  /** The address where a person sees a port of the sandbox. */
  previewUrl(port: number, path?: string): string
  /** A localhost address of the agent's as a person reaches it; other addresses unchanged. */
  proxyUrl(url: string): string
  /** The agent runtime of this sandbox. Throws `SessionNotReadyError` before `ensureReady()`. */
  readonly runtime: RuntimeClient
  /** For the `send` calls that follow; undefined goes back to the session's own. */
  setModel(model: ModelChoice | undefined): void
  setAgent(agent: string | undefined): void
  /** Resolves with the answer when the turn has ended, however long it runs. */
  send(text: string, options?: SendOptions): Promise<AssistantMessage>
  abort(): Promise<boolean>
  messages(query?: MessageQuery): ReturnType<RuntimeSessionCalls['messages']>
  rewind(messageId: string): ReturnType<RuntimeSessionCalls['revert']>
  restoreRewind(): ReturnType<RuntimeSessionCalls['unrevert']>
  readonly permissions: RuntimeClient['permission']
  readonly questions: RuntimeClient['question']
  /** The session's log from its start, or after a number, and on as it grows; needs no running machine. */
  stream(options: SessionStreamOptions): EventStreamHandle
  readonly files: FilesClient
}
