import type { Usage } from '../catalog/price.ts'
import { asObject, asText, isObject, tryParse } from '../wire/json.ts'
import { createSseReader, type SseEvent, writeSse } from '../wire/sse.ts'
import { mergeUsage, readEventUsage } from '../wire/usage.ts'
import { explainNetwork } from './explain-failure.ts'
import { ClientGone, GatewayFailure } from './failure.ts'
import type { Relayed, Relaying } from './relay-answer.ts'

/**
 * Sends a stream on as it comes. Until its first event has arrived whole and is no error, nothing leaves, so that
 * another model can still take over.
 */
export async function relayStream(relaying: Relaying): Promise<Relayed> {
  const relay = new StreamRelay(relaying)
  try {
    await relaying.answered.body.read((chunk) => relay.take(chunk))
  } catch (error) {
    if (relaying.outgoing.destroyed || error instanceof ClientGone) throw new ClientGone(relay.seen())
    const failure = error instanceof GatewayFailure ? error : explainNetwork(error)
    if (!relay.isOpen) throw failure
    relay.flush()
    return { ...relay.seen(), cutBy: atStage(failure, 'stream_error') }
  }
  relay.end()
  return relay.seen()
}

/** Bytes of an event that is still to be ended; more is no stream of a model. */
const maxEventBytes = 16 * 1024 * 1024

class StreamRelay {
  readonly #relaying: Relaying
  readonly #reader = createSseReader()
  readonly #translator
  #held: Buffer[] = []
  #leaving: Buffer[] = []
  #heldBytes = 0
  #usage: Usage | undefined
  #sentBytes = 0
  #firstByteAt: number | undefined
  #toldBy: GatewayFailure | undefined
  /** For the caller to read on; what had been read by then may still come. */
  #isWaiting = false
  isOpen = false

  constructor(relaying: Relaying) {
    this.#relaying = relaying
    this.#translator = relaying.translation?.stream()
  }

  take(chunk: Buffer): void {
    if (this.isOpen && !this.#translator && this.#reader.isIdle() && isOfNoInterest(chunk)) {
      this.#send(chunk)
      return
    }
    const events = this.#reader.push(chunk)
    if (this.#reader.waitingBytes() > maxEventBytes) throw probeFailure('The provider sent an event without an end.')
    for (const event of events) this.#look(event)
    if (!this.isOpen) {
      this.#held.push(chunk)
      this.#heldBytes += chunk.length
      const [first] = events
      if (!first) return
      this.#open()
    }
    if (this.#translator) this.#translate(events)
    else this.#send(this.#held.length > 0 ? this.#takeHeld() : chunk)
  }

  end(): void {
    if (!this.isOpen) throw probeFailure('The provider ended the stream before it said anything.')
    if (this.#translator) this.#send(encode(this.#translator.end()))
    this.flush()
  }

  seen(): Relayed {
    return {
      usage: this.#usage,
      sentBytes: this.#sentBytes,
      firstByteAt: this.#firstByteAt,
      cutBy: this.#toldBy,
      isCutTold: this.#toldBy !== undefined && !this.#translator,
    }
  }

  /** Some providers answer 200 and then say in the stream that they cannot. */
  #look(event: SseEvent): void {
    const message = errorIn(event)
    if (message !== undefined && !this.isOpen) throw probeFailure(message)
    if (message !== undefined) this.#toldBy ??= atStage(probeFailure(message), 'stream_error')
    this.#usage = mergeUsage(this.#usage, readEventUsage(event.data))
  }

  #open(): void {
    const { outgoing, headers, onFirstByte } = this.#relaying
    this.isOpen = true
    this.#firstByteAt = performance.now()
    onFirstByte()
    headers['content-type'] = 'text/event-stream; charset=utf-8'
    headers['x-accel-buffering'] = 'no'
    outgoing.writeHead(200, headers)
  }

  #takeHeld(): Buffer {
    const all = this.#held.length === 1 && this.#held[0] ? this.#held[0] : Buffer.concat(this.#held, this.#heldBytes)
    this.#held = []
    return all
  }

  #translate(events: readonly SseEvent[]): void {
    const translator = this.#translator
    this.#held = []
    if (translator) this.#send(encode(events.flatMap((event) => translator.push(event))))
  }

  /** What one turn of the event loop brings leaves in one piece. */
  #send(bytes: Buffer): void {
    if (bytes.length === 0) return
    const { outgoing, onSent } = this.#relaying
    if (outgoing.destroyed) throw new ClientGone()
    this.#sentBytes += bytes.length
    onSent?.(bytes)
    if (this.#leaving.push(bytes) === 1) process.nextTick(() => this.flush())
  }

  /** A caller who reads slowly slows the provider down; nothing piles up here. */
  flush(): void {
    const { outgoing, answered } = this.#relaying
    const [first] = this.#leaving
    if (first === undefined || outgoing.destroyed) return
    const bytes = this.#leaving.length === 1 ? first : Buffer.concat(this.#leaving)
    this.#leaving = []
    if (outgoing.write(bytes) || this.#isWaiting) return
    this.#isWaiting = true
    answered.body.pause()
    outgoing.once('drain', () => {
      this.#isWaiting = false
      answered.body.resume()
    })
  }
}

/** Whole events that tell neither usage nor an error: most of a stream passes unread. */
function isOfNoInterest(chunk: Buffer): boolean {
  const { length } = chunk
  if (length < 2 || chunk[length - 1] !== 10 || chunk[length - 2] !== 10) return false
  return chunk.indexOf('"usage') < 0 && chunk.indexOf('error') < 0
}

function encode(events: readonly SseEvent[]): Buffer {
  return Buffer.from(events.map(writeSse).join(''))
}

function errorIn({ event, data }: SseEvent): string | undefined {
  if (event !== 'error' && !/^\s*\{\s*"(error|type)"/.test(data)) return undefined
  if (!data.includes('"error"')) return undefined
  const { type, error, response, message } = asObject(tryParse(data))
  const told = type === 'response.failed' ? asObject(response).error : error
  if (isObject(told)) return String(told.message ?? 'The provider answered with an error.')
  return type === 'error' ? (asText(message) ?? 'The provider answered with an error.') : undefined
}

function probeFailure(message: string): GatewayFailure {
  return new GatewayFailure({ status: 502, code: 'upstream_error', message, stage: 'stream_probe', isTransient: true })
}

function atStage({ status, code, message }: GatewayFailure, stage: GatewayFailure['stage']): GatewayFailure {
  return new GatewayFailure({ status, code, message, stage, isTransient: true })
}
