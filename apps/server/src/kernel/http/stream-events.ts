import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ServerEvent } from '@svc/contract'

export const heartbeatMs = 15_000

/**
 * Sends events as they come. A reader that does not read holds back only its own source: the next event is pulled
 * when the socket has drained. A heartbeat goes out while nothing happens, so a dead link shows on both sides.
 * A reader that leaves ends the source; a source that fails cuts the stream, so that no end is mistaken for a whole.
 */
export async function streamEvents(
  events: AsyncIterable<ServerEvent>,
  outgoing: ServerResponse,
  headers: Record<string, string | string[]>,
): Promise<Response> {
  outgoing.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  outgoing.flushHeaders()
  const iterator = events[Symbol.asyncIterator]()
  const heartbeat = setInterval(() => outgoing.write('event: heartbeat\ndata: {}\n\n'), heartbeatMs)
  // The source may wait long for its next event: a reader that leaves must not wait with it.
  const gone = leaving(outgoing)
  try {
    for (;;) {
      const step = await gone.orResult(iterator.next())
      if (step === undefined || step.done) break
      if (!outgoing.write(formatEvent(step.value))) await gone.orResult(once(outgoing, 'drain'))
    }
    outgoing.end()
  } finally {
    clearInterval(heartbeat)
    endSource(iterator)
  }
  return RESPONSE_ALREADY_SENT
}

/** One listener for the whole stream; waiting for an event leaves nothing behind. */
function leaving(outgoing: ServerResponse) {
  let release: (() => void) | undefined
  outgoing.once('close', () => release?.())
  return {
    /** The work's result, or undefined as soon as the reader has gone. */
    orResult<T>(work: Promise<T>): Promise<T | undefined> {
      if (outgoing.destroyed) {
        work.catch(() => undefined)
        return Promise.resolve(undefined)
      }
      return new Promise((resolve, reject) => {
        release = () => resolve(undefined)
        work.then(resolve, reject)
      })
    },
  }
}

/** The reader has its answer: what a source meets while it ends is for nobody. */
function endSource(iterator: AsyncIterator<unknown>): void {
  void Promise.resolve(iterator.return?.()).catch(() => undefined)
}

export function formatEvent({ id, event, data }: ServerEvent): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`
  return `${head}data: ${JSON.stringify(data)}\n\n`
}
