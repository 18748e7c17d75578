import type { RuntimeTransport } from './runtime.ts'

/** The runtime answered, and not with what was asked for. `status` is its own. */
export class RuntimeRequestError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'RuntimeRequestError'
    this.status = status
  }

  static isInstance(error: unknown): error is RuntimeRequestError {
    return error instanceof Error && error.name === 'RuntimeRequestError' && 'status' in error
  }
}

/** The JSON document a runtime answers with; undefined for an answer without one. */
export async function requestRuntime(send: RuntimeTransport, route: string, body?: unknown): Promise<unknown> {
  const [method = 'GET', path = '/'] = route.split(' ')
  const response = await send({ method, path, ...(body === undefined ? {} : { body }) })
  const text = await readText(response.body)
  if (response.status >= 300) {
    const reason = text.slice(0, 500) || 'no reason given'
    throw new RuntimeRequestError(
      response.status,
      `The runtime answered ${method} ${path} with ${response.status}: ${reason}`,
    )
  }
  return text === '' ? undefined : JSON.parse(text)
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}
