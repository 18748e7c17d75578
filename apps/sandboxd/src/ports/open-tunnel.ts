import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { authenticate } from '../auth/authenticate.ts'
import type { Daemon } from '../daemon.ts'
import { refuse } from '../http/reply.ts'
import { requireOpenPort } from './blocked-ports.ts'
import { joinTunnel } from './join-tunnel.ts'

/** `CONNECT 127.0.0.1:{port}`: raw bytes to a port of this machine, for whoever holds the service key. */
export async function openTunnel(
  daemon: Daemon,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  authenticate(request.headers, 'key', daemon.boot?.serviceKey)
  const [, port] = /^(?:127\.0\.0\.1|localhost|\[::1\]):(\d+)$/.exec(request.url ?? '') ?? []
  if (port === undefined) {
    throw refuse(403, 'host_blocked', 'A tunnel reaches only ports of this sandbox: CONNECT 127.0.0.1:<port>.')
  }
  const target = { port: requireOpenPort(daemon, port), noDelay: true }
  const greet = (inside: Socket) => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    if (head.length > 0) inside.write(head)
  }
  await joinTunnel(socket, { ...target, host: '127.0.0.1' }, greet).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNREFUSED') throw error
    return joinTunnel(socket, { ...target, host: '::1' }, greet)
  })
}
