import type { Readable } from 'node:stream'
import type { AnyOperation, Payload } from '@svc/contract'
import type { z } from 'zod'

/** One server-sent event. The id is what a reconnecting reader hands back as `Last-Event-ID`. */
export interface ServerEvent<Data = unknown> {
  readonly id?: string | number
  readonly event?: string
  readonly data: Data
}

export type ByteSource = Readable | AsyncIterable<Uint8Array> | Uint8Array | string

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

type BodyFor<Returns> = Returns extends z.ZodType
  ? z.input<Returns>
  : Returns extends { kind: 'nothing' }
    ? undefined
    : Returns extends { kind: 'events'; event: infer Event extends z.ZodType }
      ? AsyncIterable<ServerEvent<z.input<Event>>>
      : Returns extends { kind: 'bytes' }
        ? ByteSource
        : Returns extends Payload
          ? string
          : never

/** What a handler of this operation must return; forgetting to return does not compile. */
export type ResultFor<Op extends AnyOperation> = BodyFor<Op['returns']> | Answer<BodyFor<Op['returns']>>
