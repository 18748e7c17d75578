import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { problem } from './problem.ts'

/** A document that has not arrived by then never will. */
const bodyTimeoutMs = 60_000

/** Reads a whole body, refusing it as soon as it is known to be larger than allowed, or when it takes too long. */
export function readBody(incoming: IncomingMessage, maxBytes: number, timeoutMs = bodyTimeoutMs): Promise<Buffer> {
  const announced = Number(incoming.headers['content-length'] ?? 0)
  if (announced > maxBytes) return Promise.reject(tooLarge(maxBytes))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    // Most bodies arrive together with their headers and need no timer.
    const timer = incoming.complete ? undefined : setTimeout(() => refuseLate(), timeoutMs)
    const refuseLate = () => {
      incoming.pause()
      reject(problem('request_timeout', { headers: { connection: 'close' } }))
    }
    incoming.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) {
        incoming.pause()
        reject(tooLarge(maxBytes))
        return
      }
      chunks.push(chunk)
    })
    incoming.on('end', () => {
      clearTimeout(timer)
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    })
    incoming.on('error', (cause) =>
      reject(problem('malformed_request', { say: 'The body did not arrive whole.', cause })),
    )
    incoming.on('close', () => {
      clearTimeout(timer)
      if (!incoming.complete) reject(problem('malformed_request', { say: 'The body did not arrive whole.' }))
    })
  })
}

export function decodeText(body: Buffer): string {
  if (!isUtf8(body)) throw problem('invalid_encoding', { say: 'The body is not valid UTF-8.' })
  return body.toString('utf8')
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'unreadable'
    throw problem('malformed_json', { say: `The body is not valid JSON: ${describe(reason)}.` })
  }
}

/** V8 quotes a piece of the body in some messages; a body may hold a secret, so only the position is kept. */
function describe(reason: string): string {
  const position = /position (\d+)/.exec(reason)?.[1]
  if (position !== undefined) return `it cannot be read at position ${position}`
  return /end of JSON/.test(reason) ? 'it ends too early' : 'it cannot be read'
}

function tooLarge(maxBytes: number) {
  return problem('payload_too_large', {
    say: `The body is larger than ${maxBytes} bytes, the most this operation accepts.`,
    extras: { limit_bytes: maxBytes },
    headers: { connection: 'close' },
  })
}
