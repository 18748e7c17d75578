import type { ServerResponse } from 'node:http'

/** An answer that is not a success, thrown from anywhere below a route. */
export class Refusal extends Error {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, body: { readonly error: string } & Readonly<Record<string, unknown>>) {
    super(body.error)
    this.status = status
    this.body = body
  }
}

export const refuse = (status: number, code: string, error: string, extras: Readonly<Record<string, unknown>> = {}) =>
  new Refusal(status, { error, code, ...extras })

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length })
  response.end(bytes)
}

/** Turns whatever a route threw into an answer; when the answer has begun, the connection is cut instead. */
export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (error instanceof Refusal) {
    sendJson(response, error.status, error.body)
    return
  }
  console.error('sandboxd: a request failed:', error)
  sendJson(response, 500, { error: 'The sandbox daemon failed on this request.', code: 'internal_error' })
}
