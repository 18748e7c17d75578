import { connect, type Socket } from 'node:net'

/**
 * A connection to a port of this machine; programs that listen on IPv6 alone are found too. `allowHalfOpen` is for
 * tunnels, whose ends close one after the other.
 */
export function dialLoopback(port: number, allowHalfOpen = false): Promise<Socket> {
  return dial('127.0.0.1', port, allowHalfOpen).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNREFUSED') throw error
    return dial('::1', port, allowHalfOpen).catch(() => {
      // No IPv6 here, or nothing there either: the refusal of IPv4 says what is wrong.
      throw error
    })
  })
}

const dial = (host: string, port: number, allowHalfOpen: boolean): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, allowHalfOpen })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
