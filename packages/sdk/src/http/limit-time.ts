import type { ApiError } from '../errors/api-error.ts'
import { describeAbort, describeTimeout } from '../errors/describe-failure.ts'

/** A timer and the caller's signal as one. */
export interface TimeLimit {
  readonly signal: AbortSignal
  /** The work's result, or a rejection as soon as the limit is reached, also for work that ignores signals. */
  race<T>(work: Promise<T>): Promise<T>
  /** From here on only the caller ends the work. */
  stopTimer(): void
  /** Why the work was ended, or undefined. */
  reason(): ApiError | undefined
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
  let reason: ApiError | undefined
  let reject: (error: unknown) => void
  const ended = new Promise<never>((_resolve, fail) => {
    reject = fail
  })
  // Reaching the limit when nothing is raced any more is not a failure of anybody.
  ended.catch(() => undefined)
  const end = (error: ApiError): void => {
    reason ??= error
    reject(reason)
    controller.abort(reason)
  }
  const abort = (): void => end(describeAbort(caller?.reason))
  const timer = timeoutMs > 0 ? setTimeout(() => end(describeTimeout(url, endpoint, timeoutMs)), timeoutMs) : undefined
  if (caller?.aborted) abort()
  caller?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    race: (work) => Promise.race([work, ended]),
    stopTimer: () => clearTimeout(timer),
    reason: () => reason,
    release() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', abort)
    },
  }
}
