import type { IncomingMessage } from 'node:http'
import { refuse } from './reply.ts'

/** The whole body, at most `maxBytes` of it. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw refuse(413, 'body_too_large', `The body may have at most ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, sizeBytes)
}

/** A JSON object; an empty body reads as `{}`. */
export async function readJson(request: IncomingMessage, maxBytes = 4_194_304): Promise<Record<string, unknown>> {
  const body = await readBody(request, maxBytes)
  if (body.length === 0) return {}
  const value = parseJson(body.toString('utf8'))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse(400, 'bad_request', 'The body must be a JSON object.')
  }
  return { ...value }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refuse(400, 'bad_request', 'The body is not JSON.')
  }
}

/** An optional text field of a JSON body. */
export function readText(body: Record<string, unknown>, name: string): string | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw refuse(400, 'bad_request', `${name} must be a string.`)
  return value
}
