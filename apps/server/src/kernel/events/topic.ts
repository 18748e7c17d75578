import type { ZodType } from 'zod'
import type { PublishedEvent } from '../database/index.ts'

/** A kind of event with its payload's type. Declared once, used by publishers and subscribers. */
export interface Topic<Payload> {
  readonly name: string
  /** What `tx.publish` takes. */
  event(payload: Payload): PublishedEvent & { readonly payload: Payload }
  /** The payload as it arrived, checked when the topic has a schema. Throws when it does not fit. */
  read(payload: unknown): Payload
}

/**
 * @example
 * export const sessionChanged = defineTopic('session.changed', z.object({ sessionId: z.string() }))
 * await tx.publish(sessionChanged.event({ sessionId }))
 */
export function defineTopic<Payload>(name: string, schema?: ZodType<Payload>): Topic<Payload> {
  return {
    name,
    event: (payload) => ({ topic: name, payload }),
    read: (payload) => (schema ? schema.parse(payload) : trust<Payload>(payload)),
  }
}

/** Without a schema the type rests on the publisher, which is this same code in another process. */
function trust<Payload>(payload: unknown): Payload
function trust(payload: unknown): unknown {
  return payload
}
