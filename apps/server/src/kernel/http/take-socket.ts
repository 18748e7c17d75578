import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Whether the caller asks to speak another protocol on this connection. */
export function isUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(headers.connection ?? '')
}

/** The bare connection of an upgrade, for the handler that accepted it; from here on nothing else writes to it. */
export function takeSocket(outgoing: ServerResponse): Socket {
  const { socket } = outgoing
  if (!socket) throw new TypeError('This response has no connection to take.')
  outgoing.detachSocket(socket)
  return socket
}
