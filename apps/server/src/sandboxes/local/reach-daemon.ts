import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { connect, type OnReadOpts, type Socket } from 'node:net'

/** Linux: a handle on the file itself, whatever kind it is. The same number on x64 and arm64. */
const O_PATH = 0o10000000

/**
 * Connects to the socket that the daemon made, in the machine's own view of the world; every folder on the way there is
 * one that the guest cannot replace. In the place of the socket the guest may have put anything: a link is not
 * followed, and only a socket is dialled, so a guest cannot make the host talk to a socket of the host's.
 */
export async function reachDaemon(daemonPid: number, onread?: OnReadOpts): Promise<Socket> {
  const handle = await open(`/proc/${daemonPid}/root/run/svc/host.sock`, O_PATH | constants.O_NOFOLLOW)
  try {
    const found = await handle.stat()
    if (!found.isSocket()) throw new Error('host.sock is not a socket')
    return await dial(`/proc/self/fd/${handle.fd}`, onread)
  } finally {
    await handle.close()
  }
}

function dial(path: string, onread: OnReadOpts | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, ...(onread && { onread }) })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}
