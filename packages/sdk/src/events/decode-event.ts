import { parseJson } from '../wire/parse-json.ts'
import { firstText, isRecord, toRecord } from '../wire/read-value.ts'
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
  if (type === undefined) return undefined
  const id = firstText(event.id)
  const seq =
    readSequence(event.seq) ?? readSequence(frame.id === undefined ? undefined : Number(frame.id || Number.NaN))
  return {
    type,
    properties: toRecord(event.properties),
    ...(id !== undefined && { id }),
    ...(seq !== undefined && { seq }),
  }
}

/** A sequence number: a whole number, zero or more. */
export function readSequence(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
