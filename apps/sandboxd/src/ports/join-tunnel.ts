import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'

const maxBuffers = 4
const bufferBytes = 262_144

/**
 * Dials a port or a socket and joins it to `near`, bytes both ways. What comes from the dialled side, where the large
 * downloads are, is read into a few large buffers that are used again: half the processor time of a plain pipe.
 * Rejects when it cannot be dialled; `greet` says the first words to either side.
 */
export function joinTunnel(near: Duplex, target: NetConnectOpts, greet: (far: Socket) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const far: Socket = connect({ ...target, allowHalfOpen: true, onread: readInto(near, () => far.resume()) })
    const cut = () => {
      far.destroy()
      near.destroy()
    }
    far.once('error', reject)
    far.once('connect', () => {
      far.off('error', reject)
      far.once('error', cut)
      far.once('end', () => near.end())
      near.once('close', cut)
      greet(far)
      pipeline(near, far, (error) => {
        if (error) cut()
      })
      resolve()
    })
  })
}

/** Node reads into the buffer it is given next; one is given again only after it was written out. */
function readInto(near: Duplex, goOn: () => void) {
  const pool = [Buffer.allocUnsafeSlow(bufferBytes)]
  const inUse = new Set<Uint8Array>()
  return {
    buffer(): Uint8Array {
      const free = pool.find((buffer) => !inUse.has(buffer))
      if (free) return free
      // With all of them in use the reading has stopped, and goes on only when all are free: any one will do.
      if (pool.length === maxBuffers && pool[0]) return pool[0]
      const more = Buffer.allocUnsafeSlow(bufferBytes)
      pool.push(more)
      return more
    },
    callback(bytesRead: number, buffer: Uint8Array): boolean {
      inUse.add(buffer)
      near.write(buffer.subarray(0, bytesRead), () => {
        inUse.delete(buffer)
        if (inUse.size === 0) goOn()
      })
      return inUse.size < maxBuffers
    },
  }
}
