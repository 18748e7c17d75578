import { type OnReadOpts, Socket } from 'node:net'
import { Duplex, type Writable } from 'node:stream'
import { type Carry, carryBytes } from './carry-bytes.ts'

/** Read into by every connection: what comes is copied out of it before anything else is read. */
const shared = Buffer.allocUnsafeSlow(65_536)

/**
 * A connection to a port of a machine. It is an ordinary stream until `carry` is called, which takes what comes past
 * all streams and parsers: for the body of a large answer, whose length is known.
 */
export class PortStream extends Duplex {
  #socket: Duplex | undefined
  #carry: Carry | undefined

  constructor() {
    super({ allowHalfOpen: false })
  }

  /** Given to whoever opens the connection, which is then joined. */
  readonly onread: OnReadOpts = {
    buffer: () => this.#carry?.nextBuffer() ?? shared,
    callback: (bytes, buffer) => this.#take(bytes, buffer),
  }

  join(socket: Duplex): this {
    this.#socket = socket
    socket.once('error', (error) => this.destroy(error))
    socket.once('close', () => this.destroy())
    socket.once('end', () => {
      this.#carry?.cut(new Error('the connection ended before the answer did'))
      this.push(null)
      // Noticed even while nobody reads, so that a kept connection that ended is kept no longer.
      this.read(0)
    })
    return this
  }

  /**
   * Writes the next `bytes` to `sink` as they come, without collecting more than two megabytes. Rejects when they cannot
   * all be written. More than that is never passed on: the connection is of no other use afterwards.
   */
  carry(bytes: number, sink: Writable): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (error?: Error | null) => (error ? reject(error) : resolve())
      this.#carry = carryBytes(bytes, sink, () => this.#socket?.resume(), finish)
      if (bytes === 0) return resolve()
      if (this.destroyed || this.readableEnded) return reject(new Error('the connection has ended'))
      this.#socket?.resume()
    })
  }

  #take(bytes: number, buffer: Uint8Array): boolean {
    if (this.#carry) return this.#carry.take(bytes, buffer)
    return this.push(Buffer.from(buffer.subarray(0, bytes)))
  }

  override _read(): void {
    // While a body is carried only the carrying says when to go on.
    if (!this.#carry) this.#socket?.resume()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket?.write(chunk, encoding, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket?.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#carry?.cut(error ?? new Error('the connection was closed'))
    this.#socket?.destroy()
    done(error)
  }

  /** What Node's own pool of connections asks of those it keeps. */
  setKeepAlive(isOn?: boolean, initialDelayMs?: number): this {
    this.#whileSocket((socket) => socket.setKeepAlive(isOn, initialDelayMs))
    return this
  }
  setNoDelay(isOn?: boolean): this {
    this.#whileSocket((socket) => socket.setNoDelay(isOn))
    return this
  }
  setTimeout(ms: number, onTimeout?: () => void): this {
    this.#whileSocket((socket) => socket.setTimeout(ms, onTimeout))
    return this
  }
  ref(): this {
    this.#whileSocket((socket) => socket.ref())
    return this
  }
  unref(): this {
    this.#whileSocket((socket) => socket.unref())
    return this
  }

  #whileSocket(use: (socket: Socket) => void): void {
    if (this.#socket instanceof Socket) use(this.#socket)
  }
}
