import { connect, type Socket } from 'node:net'

/** A connection to a port of this machine; programs that listen on IPv6 alone are found too. */
export function dialLoopback(port: number): Promise<Socket> {
  return dial('127.0.0.1', port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNREFUSED') throw error
    return dial('::1', port).catch(() => {
      // No IPv6 here, or nothing there either: the refusal of IPv4 says what is wrong.
      throw error
    })
  })
}

const dial = (host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, allowHalfOpen: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
