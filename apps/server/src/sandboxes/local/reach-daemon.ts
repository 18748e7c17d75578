import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'

/** Linux: a handle on the file itself, whatever kind it is. The same number on x64 and arm64. */
const O_PATH = 0o10000000

/**
 * Connects to the socket that the daemon made. The guest may have put anything in its place: a link is not followed,
 * and only a socket is dialled, so a guest cannot make the host talk to a socket of the host's.
 */
export async function reachDaemon(runFolder: string): Promise<Socket> {
  const handle = await open(join(runFolder, 'host.sock'), O_PATH | constants.O_NOFOLLOW)
  try {
    const found = await handle.stat()
    if (!found.isSocket()) throw new Error('host.sock is not a socket')
    return await dial(`/proc/self/fd/${handle.fd}`)
  } finally {
    await handle.close()
  }
}

function dial(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}
