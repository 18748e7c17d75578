import type { AgentRuntime, PromptInput, RuntimeEvent, RuntimeMessage } from '../../runtimes/index.ts'

/** A runtime in memory, for what goes wrong between the platform and one: it can lose an answer, or a question. */
export class FakeRuntime implements AgentRuntime {
  readonly kind = 'opencode'
  readonly capabilities = {
    questions: true,
    permissions: true,
    revert: true,
    commands: true,
    subtasks: true,
    resume: true,
  }
  /** Everything it was asked to do, in order. */
  readonly taken: PromptInput[] = []
  /** Agents that a prompt was prepared for. */
  readonly preparedFor: string[] = []
  stored: RuntimeMessage[] = []
  busy = false
  /** Runs before a prompt is taken; throwing loses it on the way. */
  beforeTaking: () => void = () => undefined
  /** Runs after a prompt was taken; throwing loses the answer. */
  afterTaking: () => void = () => undefined
  #waiting: ((event: RuntimeEvent | undefined) => void)[] = []
  #queued: RuntimeEvent[] = []

  prepare = () => {
    throw new Error('a runtime in memory has no machine')
  }
  open = async () => ({ conversationId: 'ses_fake' })

  prompt: AgentRuntime['prompt'] = async (_send, sessionID, prompt) => {
    this.beforeTaking()
    this.taken.push(prompt)
    this.busy = true
    const info = { id: prompt.messageId, sessionID, role: 'user', time: { created: Date.now() } }
    this.stored.push({ info, parts: [] })
    this.say({ type: 'message.updated', properties: { sessionID, info } })
    this.afterTaking()
  }

  abort = async () => {
    this.busy = false
  }
  messages = async () => this.stored
  isBusy = async () => this.busy
  listAsks = async () => ({ questions: [], permissions: [] })
  answerQuestion = async () => undefined
  answerPermission = async () => undefined

  /** The turn is done. */
  finish(sessionID = 'ses_fake'): void {
    this.busy = false
    this.say({ type: 'session.idle', properties: { sessionID } })
  }

  say(event: RuntimeEvent): void {
    const waiting = this.#waiting.shift()
    if (waiting) waiting(event)
    else this.#queued.push(event)
  }

  async *events(_send: unknown, signal: AbortSignal): AsyncGenerator<RuntimeEvent> {
    yield { type: 'server.connected', properties: {} }
    while (!signal.aborted) {
      const event =
        this.#queued.shift() ??
        (await new Promise<RuntimeEvent | undefined>((resolve) => {
          this.#waiting.push(resolve)
          signal.addEventListener('abort', () => resolve(undefined), { once: true })
        }))
      if (event) yield event
    }
  }
}
