import { mkdirSync } from 'node:fs'
import { refuse } from '../http/reply.ts'
import { Asks } from './asks.ts'
import type { ConversationStore, StoredConversation } from './conversation-store.ts'
import type { AssistantInfo, Message, Part, SessionInfo, Status, UserInfo } from './dialect.ts'
import type { EventHub } from './event-hub.ts'
import { makeId } from './make-id.ts'
import { PiProcess } from './pi-process.ts'
import type { Prompt } from './read-prompt.ts'
import type { BridgeSettings, ModelChoice } from './settings.ts'
import { TurnTranslator } from './translate-turn.ts'

interface Surroundings {
  readonly settings: BridgeSettings
  readonly store: ConversationStore
  readonly hub: EventHub
}

/** One conversation with its own pi, which is started when it is needed and goes on where it stopped. */
export class Conversation {
  readonly asks: Asks
  readonly #around: Surroundings
  readonly #stored: StoredConversation
  readonly #translator: TurnTranslator
  readonly #prompts: string[] = []
  #pi: PiProcess | undefined
  #model: ModelChoice
  #status: Status = { type: 'idle' }
  #onIdle: (() => void)[] = []

  constructor(around: Surroundings, stored: StoredConversation) {
    this.#around = around
    this.#stored = stored
    this.#model = around.settings.model
    this.asks = new Asks(stored.info.id, around.hub)
    this.#translator = new TurnTranslator(this.#sink(), this.#model)
  }

  get info(): SessionInfo {
    return this.#stored.info
  }

  get status(): Status {
    return this.#status
  }

  get messages(): readonly Message[] {
    return [...this.#stored.messages.values()]
  }

  change(fields: Partial<SessionInfo>): SessionInfo {
    this.#stored.info = { ...this.info, ...fields, time: { ...this.info.time, ...fields.time, updated: Date.now() } }
    this.#around.store.saveInfo(this.info)
    this.#publish('session.updated', { info: this.info })
    return this.info
  }

  /** Resolves when pi has taken the prompt. A second one while it works waits its turn. */
  async prompt({ messageId, parts, text, images, model = this.#model }: Prompt): Promise<void> {
    const { agent } = this.#around.settings
    const id = messageId ?? makeId('msg')
    if (this.#stored.messages.has(id)) throw refuse(400, 'bad_request', `The message ${id} exists already.`)
    const pi = this.warm()
    const isBusy = this.#status.type !== 'idle'
    this.#prompts.push(id)
    const info: UserInfo = {
      id,
      sessionID: this.info.id,
      role: 'user',
      time: { created: Date.now() },
      agent: agent.name,
      model,
    }
    const own = parts.map((part) => ({ ...part, id: makeId('prt'), sessionID: info.sessionID, messageID: id }))
    this.#put({ info, parts: own })
    for (const part of own) this.#publish('message.part.updated', { part, time: Date.now() })
    this.#setStatus({ type: 'busy' })
    try {
      if (model.modelID !== this.#model.modelID) await this.#choose(pi, model)
      await pi.request({
        type: 'prompt',
        message: text,
        ...(images.length > 0 ? { images } : {}),
        ...(isBusy ? { streamingBehavior: 'followUp' } : {}),
      })
    } catch (error) {
      this.#prompts.splice(this.#prompts.indexOf(id), 1)
      this.#fail(error instanceof Error ? error.message : String(error))
    }
  }

  /** The answer to the last prompt, when the whole turn is done. */
  async promptAndWait(prompt: Prompt): Promise<Message | undefined> {
    const idle = new Promise<void>((resolve) => void this.#onIdle.push(resolve))
    await this.prompt(prompt)
    await idle
    return this.messages.findLast(({ info }) => info.role === 'assistant')
  }

  async abort(): Promise<void> {
    this.asks.rejectAll()
    if (this.#status.type !== 'idle') await this.#pi?.request({ type: 'abort' })
  }

  async compact(): Promise<void> {
    await this.warm().request({ type: 'compact' })
  }

  /** Starts pi before the first prompt asks for it. */
  warm(): PiProcess {
    if (this.#pi) return this.#pi
    const { settings, store } = this.#around
    const folder = store.sessionFolder(this.info.id)
    mkdirSync(folder, { recursive: true })
    const command = [...settings.command, '--session-dir', folder, '--continue']
    const pi = new PiProcess(command, settings, {
      event: (event) => {
        if (event.type === 'extension_ui_request') this.asks.ask(event, (answer) => pi.send(answer))
        else this.#translator.take(event)
      },
      exit: (reason) => {
        if (this.#pi !== pi) return
        this.#pi = undefined
        if (this.#status.type !== 'idle') this.#fail(reason)
      },
    })
    this.#pi = pi
    return pi
  }

  /** The next prompt starts a new pi, which reads its settings again. */
  stop(): void {
    const pi = this.#pi
    this.#pi = undefined
    this.asks.rejectAll()
    pi?.stop()
  }

  async #choose(pi: PiProcess, model: ModelChoice): Promise<void> {
    await pi.request({ type: 'set_model', provider: model.providerID, modelId: model.modelID })
    this.#model = model
    this.#translator.use(model)
  }

  #sink() {
    return {
      sessionId: this.#stored.info.id,
      agent: this.#around.settings.agent.name,
      workspace: this.#around.settings.workspace,
      putMessage: (info: AssistantInfo) => this.#put({ info, parts: this.#stored.messages.get(info.id)?.parts ?? [] }),
      putPart: (part: Part) => this.#putPart(part),
      addDelta: (part: Part, delta: string) =>
        this.#publish('message.part.delta', { messageID: part.messageID, partID: part.id, field: 'text', delta }),
      nextPrompt: () => this.#prompts.shift() ?? this.#lastPrompt(),
      setStatus: (status: Status) => this.#setStatus(status),
      compacted: () => this.#publish('session.compacted', {}),
      runEnded: () => void this.#settle(),
    }
  }

  /** pi may retry or go on with a waiting prompt after a run: only its own state tells that it rests. */
  async #settle(): Promise<void> {
    try {
      const state = await this.#pi?.request({ type: 'get_state' })
      const { isStreaming, isCompacting, pendingMessageCount } = (state ?? {}) as Record<string, unknown>
      if (isStreaming || isCompacting || (typeof pendingMessageCount === 'number' && pendingMessageCount > 0)) return
      if (this.#status.type === 'retry') return
      this.#rest()
    } catch {
      // It ended meanwhile, and its end has told everybody already.
    }
  }

  #fail(reason: string): void {
    this.#translator.breakOff(reason)
    this.#publish('session.error', { error: { name: 'UnknownError', data: { message: reason } } })
    this.#rest()
  }

  #rest(): void {
    if (this.#status.type === 'idle') return
    this.#setStatus({ type: 'idle' })
    this.change({})
    this.#publish('session.idle', {})
    const waiting = this.#onIdle
    this.#onIdle = []
    for (const resolve of waiting) resolve()
  }

  #setStatus(status: Status): void {
    if (this.#status.type === status.type && status.type !== 'retry') return
    this.#status = status
    this.#publish('session.status', { status })
  }

  #put(message: Message): void {
    this.#stored.messages.set(message.info.id, message)
    this.#around.store.saveMessage(this.info.id, message)
    this.#publish('message.updated', { info: message.info })
  }

  #putPart(part: Part): void {
    const message = this.#stored.messages.get(part.messageID)
    if (message) {
      const others = message.parts.some(({ id }) => id === part.id)
        ? message.parts.map((one) => (one.id === part.id ? part : one))
        : [...message.parts, part]
      this.#stored.messages.set(part.messageID, { ...message, parts: others })
    }
    this.#publish('message.part.updated', { part, time: Date.now() })
  }

  #lastPrompt(): string {
    return this.messages.findLast(({ info }) => info.role === 'user')?.info.id ?? ''
  }

  #publish(type: string, properties: Readonly<Record<string, unknown>>): void {
    this.#around.hub.publish(type, { sessionID: this.info.id, ...properties })
  }
}
