import { Agent, type ClientRequestArgs } from 'node:http'
import { type Duplex, PassThrough } from 'node:stream'

export type Connect = () => Promise<Duplex>

/**
 * Sends requests over connections that the caller opens, and keeps some between requests. Streams of events hold their
 * connection for hours, so nothing limits how many there are.
 */
export class ConnectingAgent extends Agent {
  readonly #connect: Connect

  constructor(connect: Connect) {
    super({ keepAlive: true, maxFreeSockets: 16 })
    this.#connect = connect
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.#connect().then(
      (stream) => callback?.(null, stream),
      // Nobody looks at the stream when there is an error.
      (error: Error) => callback?.(error, new PassThrough()),
    )
    return undefined
  }

  /** Closes what is idle now, and each connection in use once its request is over. `destroy` would cut those as well. */
  retire(): void {
    this.maxFreeSockets = 0
    for (const idle of Object.values(this.freeSockets)) {
      for (const socket of idle ?? []) socket.destroy()
    }
  }
}
