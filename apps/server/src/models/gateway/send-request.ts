import type { Dispatcher } from 'undici'

/** The body of an answer as it comes from the network, without a stream object between. */
export interface IncomingBody {
  /** Hands over every piece, those that came already first. Resolves at the end, rejects when it is cut or `take` throws. */
  read(take: (chunk: Buffer) => void): Promise<void>
  pause(): void
  resume(): void
  /** Nobody reads on: the connection ends. */
  discard(): void
}

export interface IncomingAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: IncomingBody
}

type Request = Omit<Dispatcher.DispatchOptions, 'method' | 'origin'> & {
  readonly origin: string
  readonly method: 'POST'
}

/** Whether somebody still waits for an answer. */
export interface Waiting {
  readonly isGone: boolean
  /** One at a time; the last one counts. */
  onGone: (() => void) | undefined
}

/** Posts a request. It ends when nobody waits for it any more, also while its body is being read. */
export function sendRequest(dispatcher: Dispatcher, request: Request, waiting: Waiting): Promise<IncomingAnswer> {
  return new Promise((resolve, reject) => {
    if (waiting.isGone) {
      reject(aborted())
      return
    }
    const exchange = new Exchange(waiting, resolve, reject)
    dispatcher.dispatch(request, exchange)
  })
}

function aborted(): Error {
  return new DOMException('the call was given up', 'AbortError')
}

class Exchange implements Dispatcher.DispatchHandler, IncomingBody {
  readonly #waiting: Waiting
  readonly #resolve: (answer: IncomingAnswer) => void
  readonly #reject: (error: unknown) => void
  #controller: Dispatcher.DispatchController | undefined
  #early: Buffer[] = []
  #take: ((chunk: Buffer) => void) | undefined
  #done: (() => void) | undefined
  #failed: ((error: unknown) => void) | undefined
  #outcome: { readonly error?: unknown } | undefined

  constructor(waiting: Waiting, resolve: (answer: IncomingAnswer) => void, reject: (error: unknown) => void) {
    this.#waiting = waiting
    this.#resolve = resolve
    this.#reject = reject
    waiting.onGone = () => this.#controller?.abort(aborted())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#waiting.isGone) controller.abort(aborted())
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status >= 200) this.#resolve({ status, headers, body: this })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#take) {
      this.#early.push(chunk)
      return
    }
    try {
      this.#take(chunk)
    } catch (error) {
      controller.abort(error instanceof Error ? error : new Error(String(error)))
    }
  }

  onResponseEnd(): void {
    this.#waiting.onGone = undefined
    this.#outcome = {}
    this.#done?.()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#waiting.onGone = undefined
    this.#outcome = { error }
    this.#reject(error)
    this.#failed?.(error)
  }

  read(take: (chunk: Buffer) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#take = take
      try {
        for (const chunk of this.#early) take(chunk)
      } catch (error) {
        this.discard()
        reject(error)
        return
      }
      this.#early = []
      if (!this.#outcome) {
        this.#done = resolve
        this.#failed = reject
      } else if ('error' in this.#outcome) reject(this.#outcome.error)
      else resolve()
    })
  }

  pause(): void {
    this.#controller?.pause()
  }

  resume(): void {
    this.#controller?.resume()
  }

  discard(): void {
    if (!this.#outcome) this.#controller?.abort(aborted())
  }
}

/** Bytes after which others get their turn: what is made here comes without any wait of the network's. */
const turnBytes = 64 * 1024

/** A body that this process makes itself, read like one from the network. */
export function bodyOf(source: string | AsyncIterable<Uint8Array | string>): IncomingBody {
  let resumed: Promise<void> | undefined
  let wake: (() => void) | undefined
  let isGone = false
  return {
    async read(take) {
      if (typeof source === 'string') return take(Buffer.from(source))
      let takenBytes = 0
      for await (const piece of source) {
        if (isGone) throw aborted()
        const chunk =
          typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece.buffer, piece.byteOffset, piece.length)
        take(chunk)
        takenBytes += chunk.length
        if (takenBytes > turnBytes) {
          takenBytes = 0
          await new Promise((resolve) => setImmediate(resolve))
        }
        await resumed
      }
      if (isGone) throw aborted()
    },
    pause() {
      resumed ??= new Promise((resolve) => {
        wake = resolve
      })
    },
    resume() {
      wake?.()
      resumed = undefined
    },
    discard() {
      isGone = true
      wake?.()
    },
  }
}
