import type { AnyOperation, ReplyOf } from '@svc/contract'

/** A result with another status than the declared one, or with headers of its own. */
export class Answer<Body> {
  readonly body: Body
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[]>>

  constructor(body: Body, options: { status?: number; headers?: Record<string, string | string[]> } = {}) {
    this.body = body
    this.status = options.status
    this.headers = options.headers ?? {}
  }
}

/** @example return answer(project, { status: 202, headers: { location } }) */
export function answer<Body>(body: Body, options: { status?: number; headers?: Record<string, string | string[]> }) {
  return new Answer(body, options)
}

/** What a handler of this operation must return; forgetting to return does not compile. */
export type ResultFor<Op extends AnyOperation> = ReplyOf<Op> | Answer<ReplyOf<Op>>
