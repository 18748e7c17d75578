import { type AssistantInfo, noTokens, type Part, type Status, type Tokens } from './dialect.ts'
import { makeId } from './make-id.ts'
import type { PiEvent } from './pi-process.ts'
import type { ModelChoice } from './settings.ts'

type Json = Readonly<Record<string, unknown>>

/** Where what pi does is written to. */
export interface TurnSink {
  readonly sessionId: string
  readonly agent: string
  readonly workspace: string
  putMessage(info: AssistantInfo): void
  putPart(part: Part): void
  addDelta(part: Part, delta: string): void
  /** The prompt that pi has just begun to work on. */
  nextPrompt(): string
  setStatus(status: Status): void
  compacted(): void
  /** pi says that a run is over; it may begin another one by itself. */
  runEnded(): void
}

/** Turns pi's events into messages and parts. Keeps nothing but the answer that is being given. */
export class TurnTranslator {
  readonly #sink: TurnSink
  #model: ModelChoice
  #parentId = ''
  #message: AssistantInfo | undefined
  /** Parts of the running answer by their place in it. */
  readonly #blocks = new Map<number, Part>()
  /** Tool calls of the running answer by their id. */
  readonly #calls = new Map<string, Part>()

  constructor(sink: TurnSink, model: ModelChoice) {
    this.#sink = sink
    this.#model = model
  }

  use(model: ModelChoice): void {
    this.#model = model
  }

  take(event: PiEvent): void {
    const handler = this.#handlers[event.type]
    handler?.(event)
  }

  /** pi is gone: what it was saying ends here. */
  breakOff(reason: string): void {
    if (!this.#message) return
    this.#failCalls(reason)
    this.#finish({ name: 'UnknownError', data: { message: reason } })
  }

  readonly #handlers: Record<string, (event: PiEvent) => void> = {
    agent_start: () => this.#sink.setStatus({ type: 'busy' }),
    agent_end: () => this.#sink.runEnded(),
    message_start: ({ message }) => this.#start(asObject(message)),
    message_update: ({ assistantMessageEvent }) => this.#update(asObject(assistantMessageEvent)),
    message_end: ({ message }) => this.#end(asObject(message)),
    turn_end: () => this.#finish(undefined),
    tool_execution_start: (event) => this.#tool(event, (part) => running(part, event)),
    tool_execution_update: (event) => this.#tool(event, (part) => progressed(part, event)),
    tool_execution_end: (event) => this.#tool(event, (part) => ended(part, event)),
    auto_retry_start: ({ attempt, delayMs, errorMessage }) =>
      this.#sink.setStatus({
        type: 'retry',
        attempt: asNumber(attempt),
        message: String(errorMessage ?? ''),
        next: Date.now() + asNumber(delayMs),
      }),
    auto_retry_end: ({ success }) => {
      if (success === true) return
      this.#sink.setStatus({ type: 'busy' })
      this.#sink.runEnded()
    },
    compaction_end: ({ result }) => {
      if (result) this.#sink.compacted()
    },
  }

  #start({ role }: Json): void {
    if (role === 'user') this.#parentId = this.#sink.nextPrompt()
    if (role !== 'assistant') return
    this.#blocks.clear()
    this.#calls.clear()
    const { sessionId, agent, workspace } = this.#sink
    this.#message = {
      id: makeId('msg'),
      sessionID: sessionId,
      role: 'assistant',
      parentID: this.#parentId,
      time: { created: Date.now() },
      ...this.#model,
      agent,
      mode: agent,
      path: { cwd: workspace, root: workspace },
      cost: 0,
      tokens: noTokens,
    }
    this.#sink.putMessage(this.#message)
    this.#put(this.#make('step-start', {}))
  }

  #update(event: Json): void {
    const index = asNumber(event.contentIndex)
    const [kind = '', phase = ''] = String(event.type).split('_')
    const known = this.#blocks.get(index)
    if (kind === 'toolcall') this.#toolCall(index, event, known)
    else if (kind !== 'text' && kind !== 'thinking') return
    else if (phase === 'start') {
      const type = kind === 'text' ? 'text' : 'reasoning'
      this.#put(this.#make(type, { text: '', time: { start: Date.now() } }), index)
    } else if (known && phase === 'delta') {
      const delta = String(event.delta ?? '')
      this.#blocks.set(index, { ...known, text: `${String(known.text)}${delta}` })
      this.#sink.addDelta(known, delta)
    } else if (known && phase === 'end') {
      const time = { ...asObject(known.time), end: Date.now() }
      this.#put({ ...known, text: String(event.content ?? known.text), time }, index)
    }
  }

  #toolCall(index: number, event: Json, known: Part | undefined): void {
    const partial = asObject(event.partial).content
    const call = asObject(event.toolCall ?? (Array.isArray(partial) ? partial[index] : undefined))
    const callId = String(call.id ?? '')
    if (callId === '') return
    if (event.type === 'toolcall_delta') return
    const state = { status: 'pending', input: asObject(call.arguments), raw: '' }
    const part = known
      ? { ...known, state }
      : this.#make('tool', { callID: callId, tool: String(call.name ?? ''), state })
    this.#calls.set(callId, part)
    this.#put(part, index)
  }

  #tool({ toolCallId }: PiEvent, change: (part: Part) => Part): void {
    const part = this.#calls.get(String(toolCallId))
    if (!part) return
    const changed = change(part)
    this.#calls.set(String(toolCallId), changed)
    this.#put(changed)
  }

  #end(message: Json): void {
    if (message.role !== 'assistant' || !this.#message) return
    const usage = asObject(message.usage)
    const cost = asNumber(asObject(usage.cost).total)
    const tokens = readTokens(usage)
    const stop = String(message.stopReason ?? 'stop')
    this.#message = { ...this.#message, cost, tokens, finish: finishes[stop] ?? stop, ...readError(stop, message) }
    this.#put(this.#make('step-finish', { reason: this.#message.finish, cost, tokens }))
    this.#sink.putMessage(this.#message)
    if (this.#message.error) {
      this.#failCalls('The turn was broken off.')
      this.#finish(undefined)
    }
  }

  /** The answer and the tools it asked for are done. */
  #finish(error: AssistantInfo['error']): void {
    if (!this.#message) return
    const time = { ...this.#message.time, completed: Date.now() }
    this.#sink.putMessage({ ...this.#message, time, ...(error ? { error } : {}) })
    this.#message = undefined
  }

  #failCalls(reason: string): void {
    for (const part of this.#calls.values()) {
      const state = asObject(part.state)
      if (state.status === 'completed' || state.status === 'error') continue
      const time = { start: Date.now(), ...asObject(state.time), end: Date.now() }
      this.#put({ ...part, state: { status: 'error', input: state.input ?? {}, error: reason, time } })
    }
  }

  #make(type: string, fields: Json): Part {
    return { id: makeId('prt'), sessionID: this.#sink.sessionId, messageID: this.#message?.id ?? '', type, ...fields }
  }

  #put(part: Part, index?: number): void {
    if (index !== undefined) this.#blocks.set(index, part)
    this.#sink.putPart(part)
  }
}

const finishes: Record<string, string> = { toolUse: 'tool-calls' }

function readError(stop: string, { errorMessage }: Json): Pick<AssistantInfo, 'error'> {
  const message = String(errorMessage ?? '')
  if (stop === 'aborted') return { error: { name: 'MessageAbortedError', data: { message: message || 'Aborted' } } }
  if (stop !== 'error') return {}
  return { error: { name: 'APIError', data: { message: message || 'The model failed.', isRetryable: false } } }
}

function readTokens(usage: Json): Tokens {
  return {
    input: asNumber(usage.input),
    output: asNumber(usage.output),
    reasoning: 0,
    cache: { read: asNumber(usage.cacheRead), write: asNumber(usage.cacheWrite) },
    total: asNumber(usage.totalTokens),
  }
}

function running(part: Part, { args }: PiEvent): Part {
  return { ...part, state: { status: 'running', input: asObject(args), time: { start: Date.now() } } }
}

function progressed(part: Part, { partialResult }: PiEvent): Part {
  const state = asObject(part.state)
  return { ...part, state: { ...state, metadata: { output: readOutput(partialResult) } } }
}

function ended(part: Part, { result, isError }: PiEvent): Part {
  const { input = {}, time } = asObject(part.state)
  const output = readOutput(result)
  const span = { start: Date.now(), ...asObject(time), end: Date.now() }
  if (isError === true) return { ...part, state: { status: 'error', input, error: output, time: span } }
  const title = describeInput(asObject(input))
  return { ...part, state: { status: 'completed', input, output, title, metadata: { output }, time: span } }
}

function describeInput({ command, path }: Json): string {
  return String(command ?? path ?? '').slice(0, 200)
}

function readOutput(result: unknown): string {
  const { content } = asObject(result)
  const blocks: unknown[] = Array.isArray(content) ? content : []
  return blocks.map((block) => String(asObject(block).text ?? '')).join('\n')
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function asNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
