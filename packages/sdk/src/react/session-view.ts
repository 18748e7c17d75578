import { isApiError } from '../errors/api-error.ts'
import type { StreamEvent } from '../events/narrow-chat-event.ts'
import type { EventStreamHandle } from '../events/open-event-stream.ts'
import type { SessionStart } from '../generated/operations.ts'
import { until } from '../http/limit-time.ts'
import type { RuntimeAgent, RuntimeCommand, RuntimeProvider } from '../runtime/runtime-types.ts'
import type { SessionHandle } from '../session/session-handle.ts'
import { createSessionState, type SessionSnapshot } from '../state/create-session-state.ts'
import { firstText, toList, toRecord } from '../wire/read-value.ts'
import { classifySendError, type SendError } from './classify-send-error.ts'
import { readSessionNow } from './read-session-now.ts'

type Prompt = Awaited<ReturnType<SessionHandle['prompts']['list']>>['prompts'][number]

/** Everything a screen shows of a session. */
export interface SessionViewState extends SessionSnapshot {
  readonly start: SessionStart | undefined
  readonly startError: Error | undefined
  /** Start answered nothing for too long. */
  readonly gaveUp: boolean
  readonly isLoaded: boolean
  readonly hasOlder: boolean
  readonly isLoadingOlder: boolean
  readonly isCompacting: boolean
  /** Prompts that were not delivered yet. */
  readonly pending: readonly Prompt[]
  readonly isSending: boolean
  readonly sendError: SendError | undefined
  readonly isCut: boolean
  /** How the last turn ended; undefined while one runs, and before the first. */
  readonly endReason: string | undefined
  readonly providers: readonly RuntimeProvider[]
  readonly agents: readonly RuntimeAgent[]
  readonly commands: readonly RuntimeCommand[]
}

/** One session followed for a screen. */
export interface SessionView {
  subscribe(listener: () => void): () => void
  snapshot(): SessionViewState
  /** Starts or goes on following; what it gives back stops it. */
  follow(options: { readonly waitMs: number; readonly chat: boolean }): () => void
  loadOlder(): Promise<void>
  /** Reads the queue again. */
  refresh(): Promise<void>
  /** A request was answered here: it is gone before its event comes. */
  settle(requestId: string): void
  /** Runs a send; its failure becomes `sendError`. */
  sending(send: () => Promise<unknown>): Promise<void>
  retry(): void
}

const POLL_MS = 1500
const MISSING_MS = 800
/** A session that this tab has just made may not be there yet; after so many tries it is not coming. */
const MOST_MISSES = 12
const GIVE_UP_MS = 45_000
const LEARN_AGAIN_MS = [1000, 5000, 15_000, 0]
const PAGE = 100
/** What the session does after each event of a turn. */
const TURNS: Readonly<Record<string, string>> = { 'turn.started': 'busy', 'turn.ended': 'idle' }
const SETTLED = /^(ready|stopped|failed)$/

/** Follows one session: its start, its log, its queue and what its runtime offers. */
export function createSessionView(session: SessionHandle, conversationId?: string): SessionView {
  const listeners = new Set<() => void>()
  let conversation = conversationId
  let log = createSessionState()
  let own: Omit<SessionViewState, keyof SessionSnapshot> = INITIAL
  let current: SessionViewState | undefined
  let restart = (): void => undefined
  let live: EventStreamHandle | undefined

  const publish = (): void => {
    current = undefined
    for (const listener of [...listeners]) listener()
  }
  const set = (change: Partial<typeof own>): void => {
    own = { ...own, ...change }
    publish()
  }
  const readPending = async (): Promise<void> => set({ pending: (await session.prompts.list()).prompts })

  /** What is stored, then everything after it. What was followed before ends then, so that nothing is told twice. */
  const open = async (signal: AbortSignal): Promise<void> => {
    const { messages, seq, opencode_session_id: id } = await session.storedMessages({ limit: PAGE })
    const now = await readSessionNow(session).catch(() => [])
    // Who was slow and is not wanted any more must not replace what is newer.
    signal.throwIfAborted()
    live?.close()
    conversation = id ?? conversation
    log = createSessionState()
    log.load(messages)
    for (const event of now) {
      noteEnd(event)
      log.apply(event)
    }
    set({ isLoaded: true, hasOlder: messages.length === PAGE, isCut: false })
    void readPending().catch(ignore)
    live = session.stream({
      after: seq,
      signal,
      onEvent,
      onGapRehydrate: () => void open(signal).catch(ignore),
      onParked: () => set({ isCut: true }),
    })
  }
  const noteEnd = ({ type, properties }: StreamEvent): void => {
    if (TURNS[type]) set({ endReason: firstText(properties.end_reason) })
  }
  const onEvent = (event: StreamEvent): void => {
    noteEnd(event)
    if (event.type === 'session.updated') {
      const { time } = toRecord(event.properties.info)
      set({ isCompacting: toRecord(time).compacting !== undefined })
    }
    if (/^(session\.(status|idle|error)|prompt\.|turn\.)/.test(event.type)) void readPending().catch(ignore)
    if (event.type === 'turn.started') {
      conversation ??= firstText(event.properties.sessionID)
      // A new turn leaves what was asked before behind.
      for (const { id } of [...log.snapshot().questions, ...log.snapshot().permissions]) dropRequest(id)
    }
    // The turn is the service's word and comes before the runtime's own.
    const told = TURNS[event.type]
    const isTold = told !== undefined && log.apply({ type: 'session.status', properties: { status: { type: told } } })
    if (isTold || (isShown(event) && log.apply(event))) publish()
  }
  /** The conversation itself, and what is asked in any other: an agent that it called on needs answers as well. */
  const isShown = ({ type, properties }: StreamEvent): boolean =>
    conversation === undefined || properties.sessionID === conversation || /^(question|permission)\./.test(type)
  const dropRequest = (requestID: string): void => {
    for (const type of ['question.replied', 'permission.replied']) log.apply({ type, properties: { requestID } })
  }
  const learn = async (): Promise<void> => {
    const { config, app, command } = session.runtime
    const [{ providers }, agents, commands] = await Promise.all([config.providers(), app.agents(), command.list()])
    set({ providers: toList(providers), agents: toList(agents), commands: toList(commands) })
  }
  /** A runtime that has just started may be too busy to answer at once. */
  const learnPatiently = async (signal: AbortSignal): Promise<void> => {
    for (const pauseMs of LEARN_AGAIN_MS) {
      // Nobody looks any more: to ask would wake a session that was parked meanwhile.
      if (signal.aborted) return
      const isLearnt = await session
        .ensureReady()
        .then(learn)
        .then(
          () => true,
          () => false,
        )
      if (isLearnt) return
      await sleep(pauseMs, signal)
    }
  }
  const poll = async (waitMs: number, signal: AbortSignal): Promise<void> => {
    const startedMs = Date.now()
    let misses = 0
    while (!signal.aborted) {
      try {
        const start = await session.start(waitMs)
        if (signal.aborted) return
        conversation ??= firstText(start?.opencode_session_id)
        if (start) set({ start, startError: undefined })
        if (start?.stage === 'ready') return void learnPatiently(signal)
        if (start && SETTLED.test(start.stage)) return
        if (!own.start && Date.now() - startedMs > GIVE_UP_MS) return set({ gaveUp: true })
        misses = start ? 0 : misses + 1
        if (misses > MOST_MISSES) await refuseMissing(session)
        await sleep(start ? POLL_MS : MISSING_MS, signal)
      } catch (error) {
        return set({ startError: error instanceof Error ? error : new Error(String(error)) })
      }
    }
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    snapshot: () => {
      current ??= { ...log.snapshot(), ...own }
      return current
    },
    follow({ waitMs, chat }) {
      let stop = new AbortController()
      restart = () => {
        stop.abort()
        stop = new AbortController()
        own = { ...own, start: undefined, startError: undefined, gaveUp: false }
        publish()
        if (chat) void open(stop.signal).catch(ignore)
        void poll(waitMs, stop.signal)
      }
      restart()
      return () => stop.abort()
    },
    async loadOlder() {
      const [first] = log.snapshot().messages
      if (!first || own.isLoadingOlder) return
      set({ isLoadingOlder: true })
      try {
        const { messages } = await session.storedMessages({ limit: PAGE, before: first.info.id })
        for (const { info, parts } of messages) {
          log.apply({ type: 'message.updated', properties: { info } })
          for (const part of parts) log.apply({ type: 'message.part.updated', properties: { part } })
        }
        set({ hasOlder: messages.length === PAGE })
      } finally {
        set({ isLoadingOlder: false })
      }
    },
    refresh: readPending,
    settle(requestId) {
      dropRequest(requestId)
      publish()
    },
    async sending(send) {
      set({ isSending: true, sendError: undefined })
      try {
        await send()
        // It was sent, whether or not the queue can be read: who sent it again would say it twice.
        await readPending().catch(ignore)
      } catch (error) {
        set({ sendError: classifySendError(error) })
      } finally {
        set({ isSending: false })
      }
    },
    retry: () => restart(),
  }
}

const INITIAL: Omit<SessionViewState, keyof SessionSnapshot> = {
  start: undefined,
  startError: undefined,
  gaveUp: false,
  isLoaded: false,
  hasOlder: false,
  isLoadingOlder: false,
  isCompacting: false,
  pending: [],
  isSending: false,
  sendError: undefined,
  isCut: false,
  endReason: undefined,
  providers: [],
  agents: [],
  commands: [],
}

/** Rejects when the session does not exist; any other failure may pass. */
async function refuseMissing(session: SessionHandle): Promise<void> {
  await session.get().catch((error) => {
    if (isApiError(error) && error.status === 404) throw error
  })
}

/** The next event, poll or retry reads again; until then what was known stays on the screen. */
const ignore = (): void => undefined

/** Waits, and no longer than until the signal aborts. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const rest = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await until(signal, rest).catch(() => clearTimeout(timer))
}
