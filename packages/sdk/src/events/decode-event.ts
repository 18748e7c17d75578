import { parseJson } from '../wire/parse-json.ts'
import { dropUndefined, firstText, isRecord, toRecord } from '../wire/read-value.ts'
import type { StreamEvent } from './narrow-chat-event.ts'
import type { SseFrame } from './parse-sse.ts'

/**
 * The event in a frame: `{seq, type, properties}` on the numbered log, `{id?, type, properties}` or that under
 * `payload` on a runtime's own stream. Undefined for a frame without a type.
 */
export function decodeEvent(frame: SseFrame): StreamEvent | undefined {
  const outer = toRecord(parseJson(frame.data)?.value)
  const event = isRecord(outer.payload) ? outer.payload : outer
  const type = firstText(event.type)
  return type
    ? dropUndefined({
        type,
        properties: toRecord(event.properties),
        id: firstText(event.id),
        seq: readSequence(event.seq) ?? readSequence(frame.id && Number(frame.id)),
      })
    : undefined
}

/** A sequence number: a whole number, zero or more. */
export function readSequence(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined
}
