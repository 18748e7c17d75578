import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FileWatch } from './watch-files.ts'

const keepaliveMs = 10_000
const maxWaitingBytes = 1_048_576

/** `GET /file/watch`: the changes as an event stream. A reader that does not keep up is cut off and connects again. */
export function sendChanges(watch: FileWatch, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' })
  const send = (text: string) => {
    if (response.writableLength > maxWaitingBytes) response.destroy()
    else response.write(text)
  }
  send(`data: ${JSON.stringify({ type: 'server.connected', properties: {} })}\n\n`)
  const unsubscribe = watch.subscribe((changes) => {
    for (const change of changes) {
      send(`data: ${JSON.stringify({ type: 'file.watcher.updated', properties: change })}\n\n`)
    }
  })
  const timer = setInterval(() => send(': keepalive\n\n'), keepaliveMs)
  request.once('close', () => clearInterval(timer))
  response.once('close', () => {
    clearInterval(timer)
    unsubscribe()
  })
}
