import type { Json } from './json.ts'
import type { SseEvent } from './sse.ts'

/** Turns the events of one protocol into those of another; stateful, one per stream. */
export interface StreamTranslator {
  push(event: SseEvent): SseEvent[]
  /** What is still to be said when the upstream has ended well. */
  end(): SseEvent[]
}

/** How a request in the client's protocol is asked of an upstream that speaks another, and its answer brought back. */
export interface Translation {
  request(body: Json): Json
  answer(body: Json): Json
  stream(): StreamTranslator
}

/** Through a protocol between two: outer is nearer to the client. */
export function chain(outer: Translation, inner: Translation): Translation {
  return {
    request: (body) => inner.request(outer.request(body)),
    answer: (body) => outer.answer(inner.answer(body)),
    stream() {
      const first = inner.stream()
      const second = outer.stream()
      return {
        push: (event) => first.push(event).flatMap((between) => second.push(between)),
        end: () => [...first.end().flatMap((between) => second.push(between)), ...second.end()],
      }
    },
  }
}
