import type { ApiError } from '../errors/api-error.ts'
import { describeAbort, describeTimeout } from '../errors/describe-failure.ts'

/** A timer and the caller's signal as one. */
export interface TimeLimit {
  /** Its reason says why the work was ended. */
  readonly signal: AbortSignal
  /** The work's result, or a rejection as soon as the limit is reached, also for work that ignores signals. */
  race<T>(work: Promise<T>): Promise<T>
  /** From here on only the caller ends the work. */
  stopTimer(): void
  release(): void
}

/** Limits one attempt to `timeoutMs` (0: no timer) and to the caller's own signal. */
export function limitTime(
  url: string,
  endpoint: string,
  timeoutMs: number,
  caller: AbortSignal | null | undefined,
): TimeLimit {
  const controller = new AbortController()
  const { signal } = controller
  // The first to end the work names the reason: aborting again changes nothing.
  const end = (error: ApiError): void => controller.abort(error)
  const timer = timeoutMs > 0 ? setTimeout(() => end(describeTimeout(url, endpoint, timeoutMs)), timeoutMs) : undefined
  const leave = onAbort(caller, () => end(describeAbort(caller?.reason)))
  const stopTimer = (): void => clearTimeout(timer)
  return {
    signal,
    race: (work) => until(signal, work),
    stopTimer,
    release() {
      stopTimer()
      leave()
    },
  }
}

/** Calls back once the signal aborts, at once when it already has. The result calls it off. */
export function onAbort(signal: AbortSignal | null | undefined, callback: () => void): () => void {
  if (signal?.aborted) callback()
  else signal?.addEventListener('abort', callback, { once: true })
  return () => signal?.removeEventListener('abort', callback)
}

/** The result of the work, or a rejection as soon as the signal aborts, also for work that ignores signals. */
export function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = onAbort(signal, () => reject(signal.reason))
    work.then(resolve, reject).finally(leave)
  })
}
