import type { EventStreamClient } from '../events/run-event-stream.ts'
import type { ServiceRequest } from '../http/send-request.ts'
import type {
  AssistantMessageInfo,
  Message,
  Part,
  PermissionRequest,
  QuestionRequest,
  SessionStatus,
} from '../wire/message-types.ts'
import type {
  PromptInput,
  RuntimeAgent,
  RuntimeCommand,
  RuntimeFile,
  RuntimeFileContent,
  RuntimeFileDiff,
  RuntimeFileStatus,
  RuntimeProvider,
  RuntimePty,
  RuntimeSession,
  RuntimeSkill,
  RuntimeTextMatch,
  RuntimeTodo,
} from './runtime-types.ts'

type Settings = Readonly<Record<string, unknown>>

/** What a blocking prompt answers. */
export interface AssistantMessage {
  readonly info: AssistantMessageInfo
  readonly parts: readonly Part[]
}

/** The agent runtime of one sandbox. Calls reject with `ApiError`. */
export interface RuntimeClient extends EventStreamClient {
  readonly url: string
  /** Any other route of the sandbox, below `url`. */
  request<T = unknown>(request: Omit<ServiceRequest, 'base'>, read?: (response: Response) => Promise<T>): Promise<T>
  refreshToken(): Promise<unknown>
  readonly session: RuntimeSessionCalls
  readonly permission: {
    list(): Promise<PermissionRequest[]>
    reply(requestId: string, reply: 'once' | 'always' | 'reject', message?: string): Promise<boolean>
  }
  readonly question: {
    list(): Promise<QuestionRequest[]>
    /** One list of labels for each question. */
    reply(requestId: string, answers: readonly (readonly string[])[]): Promise<boolean>
    reject(requestId: string): Promise<boolean>
  }
  readonly app: { agents(): Promise<RuntimeAgent[]>; skills(): Promise<RuntimeSkill[]> }
  readonly command: { list(): Promise<RuntimeCommand[]> }
  readonly config: {
    get(): Promise<Record<string, unknown>>
    update(input: Settings): Promise<Record<string, unknown>>
    providers(): Promise<{ providers: RuntimeProvider[]; default: Record<string, string> }>
  }
  readonly provider: {
    list(): Promise<{ all: RuntimeProvider[]; default: Record<string, string>; connected: string[] }>
  }
  readonly mcp: {
    status(): Promise<Record<string, { status: string }>>
    add(input: { readonly name: string; readonly config: Settings }): Promise<Record<string, { status: string }>>
    connect(name: string): Promise<unknown>
    disconnect(name: string): Promise<unknown>
  }
  readonly find: {
    text(pattern: string): Promise<RuntimeTextMatch[]>
    files(
      query: string,
      options?: { readonly type?: 'file' | 'directory' | undefined; readonly limit?: number | undefined },
    ): Promise<string[]>
    symbols(query: string): Promise<unknown[]>
  }
  readonly file: {
    list(path: string): Promise<RuntimeFile[]>
    read(path: string): Promise<RuntimeFileContent>
    status(): Promise<RuntimeFileStatus[]>
    remove(path: string): Promise<boolean>
    mkdir(path: string): Promise<boolean>
    rename(from: string, to: string): Promise<boolean>
  }
  readonly pty: {
    list(): Promise<RuntimePty[]>
    create(input?: Settings): Promise<RuntimePty>
    get(ptyId: string): Promise<RuntimePty>
    update(ptyId: string, input: Settings): Promise<RuntimePty>
    remove(ptyId: string): Promise<boolean>
  }
  readonly project: { current(): Promise<Record<string, unknown>> }
  readonly path: { get(): Promise<Record<string, string>> }
  readonly vcs: { get(): Promise<{ branch?: string }> }
  readonly global: { health(): Promise<{ healthy: boolean; version: string }>; dispose(): Promise<boolean> }
}

/** Conversations of a runtime. Ids are the runtime's own: `ses_…`, `msg_…`, `prt_…`. */
export interface RuntimeSessionCalls {
  list(query?: {
    readonly limit?: number | undefined
    readonly search?: string | undefined
    readonly start?: number | undefined
    readonly roots?: boolean | undefined
  }): Promise<RuntimeSession[]>
  create(input?: Settings): Promise<RuntimeSession>
  /** A conversation that is not named is idle. */
  status(): Promise<Record<string, SessionStatus>>
  get(id: string): Promise<RuntimeSession>
  update(id: string, input: Settings): Promise<RuntimeSession>
  remove(id: string): Promise<boolean>
  children(id: string): Promise<RuntimeSession[]>
  todo(id: string): Promise<RuntimeTodo[]>
  diff(id: string, query?: { readonly messageID?: string | undefined }): Promise<RuntimeFileDiff[]>
  /** Oldest first. */
  messages(
    id: string,
    query?: { readonly limit?: number | undefined; readonly before?: string | undefined },
  ): Promise<Message[]>
  /** Answers when the whole turn is done. */
  prompt(id: string, input: PromptInput): Promise<AssistantMessage>
  /** Answers at once; the turn goes on. */
  promptAsync(id: string, input: PromptInput): Promise<void>
  command(
    id: string,
    input: { readonly command: string; readonly arguments: string } & Settings,
  ): Promise<AssistantMessage>
  shell(id: string, input: { readonly agent: string; readonly command: string } & Settings): Promise<AssistantMessage>
  abort(id: string): Promise<boolean>
  revert(
    id: string,
    input: { readonly messageID: string; readonly partID?: string | undefined },
  ): Promise<RuntimeSession>
  unrevert(id: string): Promise<RuntimeSession>
  summarize(id: string, input: { readonly providerID: string; readonly modelID: string }): Promise<boolean>
  fork(id: string, input?: { readonly messageID?: string | undefined }): Promise<RuntimeSession>
  removeMessage(id: string, messageId: string): Promise<boolean>
  updatePart(id: string, messageId: string, partId: string, part: Settings): Promise<Part>
  removePart(id: string, messageId: string, partId: string): Promise<boolean>
}
