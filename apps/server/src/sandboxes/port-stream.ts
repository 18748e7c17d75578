import { type OnReadOpts, Socket } from 'node:net'
import { Duplex, type Writable } from 'node:stream'
import { type Carry, carryBytes } from './carry-bytes.ts'

/** Read into by every connection: what comes is copied out of it before anything else is read. */
const shared = Buffer.allocUnsafeSlow(65_536)

/** One connection. Streams take it over from each other; the events and bytes of it are the last one's. */
interface Line {
  owner: PortStream
  socket: Duplex | undefined
  hasEnded: boolean
  keptUntilMs: number
}

/**
 * A connection to a port of a machine. It is an ordinary stream until `carry` is called, which takes what comes past
 * all streams and parsers: for the body of a large answer, whose length is known.
 */
export class PortStream extends Duplex {
  readonly #line: Line
  #carry: Carry | undefined
  /** Taken over, and nothing was asked of the other end since. */
  #isIdle: boolean
  /** Whether another stream had the connection before. */
  readonly isRenewed: boolean

  constructor(line?: Line) {
    super({ allowHalfOpen: false })
    this.#line = line ?? { owner: this, socket: undefined, hasEnded: false, keptUntilMs: Number.POSITIVE_INFINITY }
    this.#line.owner = this
    this.isRenewed = line !== undefined
    this.#isIdle = this.isRenewed
  }

  /** Given to whoever opens the connection, which is then joined. */
  get onread(): OnReadOpts {
    const line = this.#line
    return {
      buffer: () => line.owner.#carry?.nextBuffer() ?? shared,
      callback: (bytes, buffer) => line.owner.#take(bytes, buffer),
    }
  }

  join(socket: Duplex): this {
    const line = this.#line
    line.socket = socket
    socket.once('error', (error) => line.owner.destroy(error))
    socket.once('close', () => line.owner.destroy())
    socket.once('end', () => {
      line.hasEnded = true
      line.owner.#end()
    })
    return this
  }

  /** For a connection that is worth less than the next one will be: from then on it is not kept for another request. */
  keepFor(ms: number): void {
    this.#line.keptUntilMs = performance.now() + ms
  }

  get mayBeKept(): boolean {
    return performance.now() < this.#line.keptUntilMs
  }

  /**
   * Writes the next `bytes` to `sink` as they come, without collecting more than two megabytes. Rejects when they cannot
   * all be written. More than that is never passed on: this stream is of no other use afterwards.
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

  /**
   * After a carry: the same connection as a new stream, which nothing of this one's request or answer reaches. Undefined
   * when it cannot be used again: it has ended, or more came than was to be carried. A byte that comes before the new
   * stream was written to was said to nobody, and ends it.
   */
  async renew(): Promise<PortStream | undefined> {
    const socket = this.#socket
    if (!socket || this.destroyed || this.#line.hasEnded || !this.#carry?.isWhole) return undefined
    const renewed = new PortStream(this.#line)
    // While it is kept nobody listens; that it has ended is all there is to know then.
    renewed.on('error', () => undefined)
    this.destroy()
    socket.resume()
    // What had already arrived is read in the next turn of the event loop but one at the latest.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    return renewed.destroyed ? undefined : renewed
  }

  /** Undefined once another stream has the connection. */
  get #socket(): Duplex | undefined {
    return this.#line.owner === this ? this.#line.socket : undefined
  }

  #take(bytes: number, buffer: Uint8Array): boolean {
    if (this.#carry) return this.#carry.take(bytes, buffer)
    if (this.#isIdle) {
      this.destroy()
      return false
    }
    return this.push(Buffer.from(buffer.subarray(0, bytes)))
  }

  #end(): void {
    if (this.#isIdle) return void this.destroy()
    this.#carry?.cut('the connection ended before the answer did')
    this.push(null)
    // Noticed even while nobody reads, so that a kept connection that ended is kept no longer.
    this.read(0)
  }

  override _read(): void {
    // While a body is carried only the carrying says when to go on.
    if (!this.#carry) this.#socket?.resume()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#isIdle = false
    if (this.#socket) this.#socket.write(chunk, encoding, done)
    else done(new Error('the connection is another stream’s'))
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#socket) this.#socket.end(done)
    else done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#carry?.cut(error ?? 'the connection was closed')
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
