import type { EventHub } from './event-hub.ts'
import { makeId } from './make-id.ts'
import type { PiEvent } from './pi-process.ts'

interface Question {
  readonly id: string
  readonly sessionID: string
  readonly questions: readonly {
    readonly question: string
    readonly header: string
    readonly options: readonly { readonly label: string; readonly description: string }[]
    readonly custom?: boolean
  }[]
}

interface Waiting {
  readonly question: Question
  readonly answer: (value: string | undefined) => void
}

/** Dialogs of pi's extensions, as questions that a person answers. */
export class Asks {
  readonly #sessionId: string
  readonly #hub: EventHub
  readonly #waiting = new Map<string, Waiting>()

  constructor(sessionId: string, hub: EventHub) {
    this.#sessionId = sessionId
    this.#hub = hub
  }

  list(): Question[] {
    return [...this.#waiting.values()].map(({ question }) => question)
  }

  /** What needs no answer (notices, titles) is for a terminal and is passed over. */
  ask(request: PiEvent, send: (answer: object) => void): void {
    const { method, id } = request
    if (!['select', 'confirm', 'input', 'editor'].includes(String(method))) return
    const reply = (value: string | undefined) => {
      const answer = method === 'confirm' ? { confirmed: value === 'Yes' } : { value }
      send({ type: 'extension_ui_response', id, ...(value === undefined ? { cancelled: true } : answer) })
    }
    const question = describe(request, this.#sessionId)
    this.#waiting.set(question.id, { question, answer: reply })
    this.#hub.publish('question.asked', { ...question })
  }

  /** False when nobody asked that. */
  reply(requestId: string, answers: readonly (readonly string[])[]): boolean {
    const waiting = this.#take(requestId)
    waiting?.answer(answers[0]?.[0])
    if (waiting) this.#hub.publish('question.replied', { sessionID: this.#sessionId, requestID: requestId, answers })
    return waiting !== undefined
  }

  reject(requestId: string): boolean {
    const waiting = this.#take(requestId)
    waiting?.answer(undefined)
    if (waiting) this.#hub.publish('question.rejected', { sessionID: this.#sessionId, requestID: requestId })
    return waiting !== undefined
  }

  rejectAll(): void {
    for (const id of [...this.#waiting.keys()]) this.reject(id)
  }

  #take(requestId: string): Waiting | undefined {
    const waiting = this.#waiting.get(requestId)
    this.#waiting.delete(requestId)
    return waiting
  }
}

function describe({ method, title, message, options }: PiEvent, sessionID: string): Question {
  const question = [title, message].filter((text) => typeof text === 'string' && text !== '').join('\n')
  const labels: unknown[] = method === 'confirm' ? ['Yes', 'No'] : Array.isArray(options) ? options : []
  return {
    id: makeId('que'),
    sessionID,
    questions: [
      {
        question,
        header: String(title ?? '').slice(0, 30),
        options: labels.map((label) => ({ label: String(label), description: '' })),
        ...(labels.length === 0 ? { custom: true } : {}),
      },
    ],
  }
}
