import type { SampleRequest } from './sample-request.ts'

export interface Reply {
  readonly status: number
  readonly code: string | undefined
  readonly text: string
}

/** Sends one request and reads what the answer says. An endless stream is left as soon as it begins. */
export async function send(url: string, request: SampleRequest, bearer: string | undefined): Promise<Reply> {
  const abort = new AbortController()
  const response = await fetch(`${url}${request.path}`, {
    method: request.method,
    headers: { ...request.headers, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
    redirect: 'manual',
    signal: abort.signal,
    ...(request.body === undefined ? {} : { body: request.body }),
  })
  const { status } = response
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    abort.abort()
    return { status, code: undefined, text: '' }
  }
  const text = await response.text()
  return { status, code: readCode(text), text }
}

/** The code of a refusal in any of the three families of errors. */
function readCode(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null) return undefined
    if ('code' in body && typeof body.code === 'string') return body.code
    if (!('error' in body)) return undefined
    const { error } = body
    if (typeof error === 'string') return error
    return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined
  } catch {
    // Not JSON: a page, a file, or nothing.
    return undefined
  }
}
