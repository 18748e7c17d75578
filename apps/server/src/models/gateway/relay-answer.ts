import type { ServerResponse } from 'node:http'
import type { Usage } from '../catalog/price.ts'
import { isObject, type Json, tryParse } from '../wire/json.ts'
import { readLastResponse } from '../wire/responses-answer.ts'
import type { Translation } from '../wire/translation.ts'
import { readUsage } from '../wire/usage.ts'
import type { Answered } from './ask-upstream.ts'
import { explainNetwork } from './explain-failure.ts'
import { GatewayFailure } from './failure.ts'

export interface Relayed {
  readonly usage: Usage | undefined
  /** Bytes of answer that reached the caller; what an answer without usage is judged by. */
  readonly sentBytes: number
  readonly firstByteAt: number | undefined
  /** What ended it after the first byte: no other model may take over then. */
  readonly cutBy: GatewayFailure | undefined
  /** The caller has been told of it already, by the provider itself. */
  readonly isCutTold?: boolean
}

export interface Relaying {
  readonly answered: Answered
  readonly translation: Translation | undefined
  readonly outgoing: ServerResponse
  readonly headers: Record<string, string>
  /** Told when the first byte is about to leave. */
  readonly onFirstByte: () => void
  /** Told of everything that leaves, where the project keeps its answers. */
  readonly onSent: ((bytes: Buffer) => void) | undefined
}

const maxCopiedBytes = 64 * 1024
/** A whole answer larger than this is none that a model wrote. */
const maxDocumentBytes = 64 * 1024 * 1024

/** Sends a whole answer on, once it is known to be one. */
export async function relayDocument({
  answered,
  translation,
  outgoing,
  headers,
  onFirstByte,
  onSent,
}: Relaying): Promise<Relayed> {
  const { document, bytes } = await readDocument(answered)
  const body = translation ? Buffer.from(JSON.stringify(translation.answer(document))) : bytes
  onFirstByte()
  onSent?.(body)
  headers['content-type'] = 'application/json'
  headers['content-length'] = String(body.length)
  outgoing.writeHead(200, headers)
  // Text leaves in one piece with the headers; for a long answer the copy would cost more than it saves.
  if (body.length < maxCopiedBytes) outgoing.end(body.toString('latin1'), 'latin1')
  else outgoing.end(body)
  return { usage: readUsage(document), sentBytes: body.length, firstByteAt: performance.now(), cutBy: undefined }
}

/**
 * The answer of an upstream in one piece, also of one that streams although nobody asked for it; one that is no answer is
 * thrown as a failure.
 */
export async function readDocument(answered: Answered): Promise<{ readonly document: Json; readonly bytes: Buffer }> {
  const bytes = await readAll(answered)
  const isStream = answered.contentType.includes('event-stream')
  const document = isStream ? readLastResponse(bytes) : tryParse(bytes.toString('utf8'))
  if (!isObject(document)) throw invalidAnswer('The provider did not answer with a JSON document.')
  if (isObject(document.error)) {
    throw invalidAnswer(String(document.error.message ?? 'The provider answered with an error.'))
  }
  return { document, bytes: isStream ? Buffer.from(JSON.stringify(document)) : bytes }
}

async function readAll({ body }: Answered): Promise<Buffer> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  try {
    await body.read((chunk) => {
      sizeBytes += chunk.length
      if (sizeBytes > maxDocumentBytes) throw invalidAnswer('The provider’s answer is too large.')
      chunks.push(chunk)
    })
  } catch (error) {
    throw explainNetwork(error)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, sizeBytes)
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
