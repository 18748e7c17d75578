import type { ClientRequestArgs } from 'node:http'
import type { Duplex } from 'node:stream'
import { ConnectingAgent } from '../kernel/http/index.ts'
import { PortStream } from '../sandboxes/index.ts'

const maxKept = 8
/** Below what programs commonly wait for the next request; one that closes at that very moment would lose it. */
const maxIdleMs = 4_000

/**
 * The connections to one port of one machine. Those that a large answer came through, past Node's parser, are kept here:
 * their windows have grown, and another would first have to be opened inside the machine.
 */
export class PortAgent extends ConnectingAgent {
  readonly #kept = new Map<PortStream, NodeJS.Timeout>()
  #isOver = false

  /** Takes a renewed connection. `hint` is what the program inside says about how long it keeps it (`Keep-Alive`). */
  keep(connection: PortStream, hint: string | string[] | undefined): void {
    const idleMs = readIdleMs(hint)
    if (this.#isOver || idleMs <= 0 || this.#kept.size >= maxKept) return void connection.destroy()
    this.#kept.set(connection, setTimeout(() => connection.destroy(), idleMs).unref())
    connection.once('close', () => this.#forget(connection))
  }

  /** Asked by Node when it could keep a connection itself, after an answer that it has parsed. */
  override keepSocketAlive(socket: Duplex): boolean {
    if (socket instanceof PortStream && !socket.mayBeKept) return false
    // It answers too, which its types do not say.
    const isReady: unknown = super.keepSocketAlive(socket)
    return isReady !== false
  }

  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const kept = this.#takeKept()
    if (!kept) return super.createConnection(options, callback)
    callback?.(null, kept)
    return undefined
  }

  /** The one that was used last: the others may end in peace. */
  #takeKept(): PortStream | undefined {
    const kept = [...this.#kept.keys()].findLast(({ destroyed }) => !destroyed)
    if (kept) this.#forget(kept)
    return kept
  }

  #forget(connection: PortStream): void {
    clearTimeout(this.#kept.get(connection))
    this.#kept.delete(connection)
  }

  override retire(): void {
    this.#endKept()
    super.retire()
  }

  override destroy(): void {
    this.#endKept()
    super.destroy()
  }

  #endKept(): void {
    this.#isOver = true
    for (const connection of this.#kept.keys()) connection.destroy()
  }
}

function readIdleMs(hint: string | string[] | undefined): number {
  const seconds = /(?:^|[\s,;])timeout=(\d{1,9})/i.exec(String(hint ?? ''))?.[1]
  return seconds === undefined ? maxIdleMs : Math.min(maxIdleMs, Number(seconds) * 1_000 - 1_000)
}
