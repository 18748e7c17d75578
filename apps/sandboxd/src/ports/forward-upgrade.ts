import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { dialLoopback } from './dial-loopback.ts'
import { forwardHeaders } from './forward-headers.ts'
import { pipeBoth } from './pipe-both.ts'

/** Hands a WebSocket (or any upgrade) over to a program inside: its answer to the handshake is passed on as it is. */
export async function forwardUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  target: { readonly port: number; readonly path: string; readonly host: string },
): Promise<void> {
  const inside = await dialLoopback(target.port, true)
  const headers = forwardHeaders(request.rawHeaders, target.host)
  headers.push('Connection', 'Upgrade', 'Upgrade', request.headers.upgrade ?? 'websocket')
  const lines = [`${request.method ?? 'GET'} ${target.path} HTTP/1.1`]
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`)
  inside.write(`${lines.join('\r\n')}\r\n\r\n`)
  if (head.length > 0) inside.write(head)
  pipeBoth(socket, inside)
}
