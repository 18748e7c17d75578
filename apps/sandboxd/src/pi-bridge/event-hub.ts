import type { ServerResponse } from 'node:http'
import { makeId } from './make-id.ts'

const keepaliveMs = 10_000
/** A reader that is this far behind is cut off; it reconnects and reads the messages. */
const maxBacklogBytes = 8 * 1024 * 1024

/** The runtime's event stream: what happens now, for whoever listens now. */
export class EventHub {
  readonly #readers = new Set<{ response: ServerResponse; wrap: (event: object) => object }>()

  publish(type: string, properties: Readonly<Record<string, unknown>>): void {
    const event = { id: makeId('evt'), type, properties }
    for (const { response, wrap } of this.#readers) {
      if (response.writableLength > maxBacklogBytes) response.destroy()
      else response.write(`data: ${JSON.stringify(wrap(event))}\n\n`)
    }
  }

  /** Serves one reader until it leaves. `directory` wraps events as the stream of all directories does. */
  serve(response: ServerResponse, directory?: string): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' })
    const wrap = (payload: object) => (directory === undefined ? payload : { directory, payload })
    const reader = { response, wrap }
    response.write(`data: ${JSON.stringify(wrap({ id: makeId('evt'), type: 'server.connected', properties: {} }))}\n\n`)
    const keepalive = setInterval(() => response.write(': keepalive\n\n'), keepaliveMs)
    this.#readers.add(reader)
    response.once('close', () => {
      clearInterval(keepalive)
      this.#readers.delete(reader)
    })
  }
}
