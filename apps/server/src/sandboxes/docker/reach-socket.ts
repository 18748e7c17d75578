import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { connect, type OnReadOpts, type Socket } from 'node:net'
import { join } from 'node:path'

/** Linux: a handle on the file itself, whatever kind it is. */
const O_PATH = 0o10000000

/**
 * Connects to the socket that the daemon made in its run folder. The guest may have put anything in its place: a link
 * is not followed and only a socket is dialled, so a guest cannot make the host talk to a socket of the host's.
 */
export async function reachSocket(runFolder: string, onread?: OnReadOpts): Promise<Socket> {
  const handle = await open(join(runFolder, 'host.sock'), O_PATH | constants.O_NOFOLLOW)
  try {
    if (!(await handle.stat()).isSocket()) throw new Error('host.sock is not a socket')
    const socket = connect({ path: `/proc/self/fd/${handle.fd}`, ...(onread && { onread }) })
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve()
      })
    })
    return socket
  } finally {
    await handle.close()
  }
}
