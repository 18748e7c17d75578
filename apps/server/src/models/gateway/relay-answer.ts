import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Usage } from '../catalog/price.ts'
import { asObject, isObject, tryParse } from '../wire/json.ts'
import { createSseReader, type SseEvent, writeSse } from '../wire/sse.ts'
import type { Translation } from '../wire/translation.ts'
import { mergeUsage, readEventUsage, readUsage } from '../wire/usage.ts'
import { type Answered, explainNetwork } from './ask-upstream.ts'
import { ClientGone, GatewayFailure } from './failure.ts'

export interface Relayed {
  readonly usage: Usage | undefined
  /** Bytes of answer that reached the caller; what an answer without usage is judged by. */
  readonly sentBytes: number
  readonly firstByteAt: number | undefined
  /** What ended it after the first byte: no other model may take over then. */
  readonly cutBy: GatewayFailure | undefined
}

interface Relaying {
  readonly answered: Answered
  readonly translation: Translation | undefined
  readonly outgoing: ServerResponse
  readonly headers: Record<string, string>
  /** Told when the first byte is about to leave. */
  readonly onFirstByte: () => void
}

/** Sends a whole answer on, once it is known to be one. */
export async function relayDocument({
  answered,
  translation,
  outgoing,
  headers,
  onFirstByte,
}: Relaying): Promise<Relayed> {
  const bytes = await readAll(answered)
  const document = tryParse(bytes.toString('utf8'))
  if (!isObject(document)) throw invalidAnswer('The provider did not answer with a JSON document.')
  if (isObject(document.error))
    throw invalidAnswer(String(document.error.message ?? 'The provider answered with an error.'))
  const body = translation ? Buffer.from(JSON.stringify(translation.answer(document))) : bytes
  onFirstByte()
  outgoing.writeHead(200, { ...headers, 'content-type': 'application/json', 'content-length': body.length })
  outgoing.end(body)
  return { usage: readUsage(document), sentBytes: body.length, firstByteAt: performance.now(), cutBy: undefined }
}

export async function readAll({ body }: Answered): Promise<Buffer> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of body) chunks.push(chunk)
  } catch (error) {
    throw explainNetwork(error)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

function invalidAnswer(message: string): GatewayFailure {
  return new GatewayFailure({
    status: 502,
    code: 'upstream_error',
    message,
    stage: 'completion_validation',
    isTransient: true,
  })
}

/**
 * Sends a stream on as it comes. Until its first event has arrived whole and is no error, nothing leaves, so that
 * another model can still take over.
 */
export async function relayStream({
  answered,
  translation,
  outgoing,
  headers,
  onFirstByte,
}: Relaying): Promise<Relayed> {
  const reader = createSseReader()
  const translator = translation?.stream()
  const held: Buffer[] = []
  let usage: Usage | undefined
  let sentBytes = 0
  let firstByteAt: number | undefined
  let isOpen = false

  try {
    for await (const chunk of answered.body) {
      const events = reader.push(chunk)
      for (const { data } of events) usage = mergeUsage(usage, readEventUsage(data))
      if (!isOpen) {
        held.push(chunk)
        const [first] = events
        if (!first) continue
        probe(first)
        open()
      }
      await send(
        translator ? encode(events.flatMap((event) => translator.push(event))) : held.length > 0 ? take() : chunk,
      )
    }
  } catch (error) {
    if (outgoing.destroyed || error instanceof ClientGone) throw new ClientGone({ usage, sentBytes })
    const failure = error instanceof GatewayFailure ? error : explainNetwork(error)
    if (!isOpen) throw failure
    return { usage, sentBytes, firstByteAt, cutBy: atStage(failure, 'stream_error') }
  }
  if (!isOpen) throw probeFailure('The provider ended the stream before it said anything.')
  if (translator) await send(encode(translator.end()))
  return { usage, sentBytes, firstByteAt, cutBy: undefined }

  function open(): void {
    isOpen = true
    firstByteAt = performance.now()
    onFirstByte()
    outgoing.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    })
  }

  function take(): Buffer {
    const all = held.length === 1 && held[0] ? held[0] : Buffer.concat(held)
    held.length = 0
    return all
  }

  async function send(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return
    if (outgoing.destroyed) throw new ClientGone()
    sentBytes += bytes.length
    if (outgoing.write(bytes)) return
    await Promise.race([once(outgoing, 'drain'), once(outgoing, 'close')])
    if (outgoing.destroyed) throw new ClientGone()
  }
}

function encode(events: readonly SseEvent[]): Buffer {
  return Buffer.from(events.map(writeSse).join(''))
}

/** Some providers answer 200 and then say in the stream that they cannot. */
function probe({ event, data }: SseEvent): void {
  if (event !== 'error' && !/^\s*\{\s*"(error|type)"/.test(data)) return
  const document = asObject(tryParse(data))
  if (!isObject(document.error)) return
  throw probeFailure(String(document.error.message ?? 'The provider answered with an error.'))
}

function probeFailure(message: string): GatewayFailure {
  return new GatewayFailure({ status: 502, code: 'upstream_error', message, stage: 'stream_probe', isTransient: true })
}

function atStage({ status, code, message }: GatewayFailure, stage: GatewayFailure['stage']): GatewayFailure {
  return new GatewayFailure({ status, code, message, stage, isTransient: true })
}
