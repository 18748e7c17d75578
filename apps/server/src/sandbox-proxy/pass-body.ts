import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { PortStream } from '../sandboxes/index.ts'

/** Below it parsing costs less than all the steps of passing by the parser. */
const largeBytes = 512 * 1024

/** Told of a connection as soon as a large answer has come through it, whole. */
export type OnCarried = (connection: PortStream) => Promise<void>

/**
 * The body of an answer, to its end. A large one of announced length is not parsed: exactly so many bytes are written as
 * were announced, whatever else the program inside sends. Its connection is then `onCarried`'s to renew, or closed.
 * Rejects when the body came to no good end. Not to be called while the head is still being parsed: what came in the same
 * breath is then not yet in `answered`.
 */
export async function passBody(
  answered: IncomingMessage,
  outgoing: ServerResponse,
  onCarried: OnCarried,
): Promise<void> {
  // What is there of the body goes out with the head.
  if (answered.readableLength === 0) outgoing.flushHeaders()
  const connection: Duplex = answered.socket
  const sizeBytes = announcedBytes(answered)
  // What the connection has not yet given to the parser would be passed over.
  const isRead = connection.readableLength === 0
  if (connection instanceof PortStream && sizeBytes >= largeBytes && isRead) {
    await carryBody(answered, connection, sizeBytes, outgoing, onCarried)
  } else await pipeline(answered, outgoing)
}

function announcedBytes({ headers, statusCode }: IncomingMessage): number {
  // They tell a length and have no body.
  if (statusCode === 204 || statusCode === 304) return 0
  const length = headers['content-length'] ?? ''
  return headers['transfer-encoding'] === undefined && /^\d{1,15}$/.test(length) ? Number(length) : 0
}

async function carryBody(
  answered: IncomingMessage,
  connection: PortStream,
  sizeBytes: number,
  outgoing: ServerResponse,
  onCarried: OnCarried,
): Promise<void> {
  const first: Buffer | null = answered.read()
  // The parser takes the end of the connection for a cut answer; only what was carried tells.
  answered.on('error', () => undefined)
  try {
    if (outgoing.destroyed) throw new Error('the reader has left')
    const left = new Promise<never>((_resolve, reject) => {
      outgoing.once('close', () => reject(new Error('the reader has left')))
    })
    if (first !== null) outgoing.write(first)
    await Promise.race([left, connection.carry(sizeBytes - (first?.length ?? 0), chooseSink(outgoing))])
    // Nothing is missing, though the parser did not see it: the end of this stream is no failure that Node has to tell of.
    answered.complete = true
    void onCarried(connection)
    await new Promise<void>((resolve) => outgoing.end(resolve))
  } finally {
    // One that was renewed is no longer this stream's.
    connection.destroy()
  }
}

/**
 * The reader's own connection, behind the head, without what Node does besides for each piece of an answer. Where the
 * length was not passed on, each piece needs a frame.
 */
function chooseSink(outgoing: ServerResponse): Writable {
  return (outgoing.chunkedEncoding ? null : outgoing.socket) ?? outgoing
}
