import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ServerEvent } from '@svc/contract'

export const heartbeatMs = 15_000

/**
 * Sends events as they come. A reader that does not read holds back only its own source: the next event is pulled
 * when the socket has drained. A heartbeat goes out while nothing happens, so a dead link shows on both sides.
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
  const heartbeat = setInterval(() => outgoing.write('event: heartbeat\ndata: {}\n\n'), heartbeatMs)
  const iterator = events[Symbol.asyncIterator]()
  // A source that waits for its next event must learn that its reader has gone.
  const gone = once(outgoing, 'close').then(() => ({ done: true as const, value: undefined }))
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), gone])
      if (step.done) break
      if (!outgoing.write(formatEvent(step.value))) await Promise.race([once(outgoing, 'drain'), gone])
      if (outgoing.destroyed) break
    }
  } finally {
    clearInterval(heartbeat)
    void iterator.return?.()
    outgoing.end()
  }
  return RESPONSE_ALREADY_SENT
}

export function formatEvent({ id, event, data }: ServerEvent): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`
  return `${head}data: ${JSON.stringify(data)}\n\n`
}
