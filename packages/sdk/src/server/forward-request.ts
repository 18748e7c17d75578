/** What to forward, where, and in whose name. */
export interface ForwardOptions {
  readonly request: Request
  readonly upstreamUrl: string | URL
  readonly token: string
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** Belong to one connection or to the browser's own origin, never to the next hop. */
const NOT_SENT = ['host', 'content-length', 'cookie', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te']
const NOT_RETURNED = ['set-cookie', 'content-encoding', 'content-length', 'connection', 'transfer-encoding']

/**
 * Forwards a request of the own origin to the service with a token, so that the browser never holds one.
 *
 * @example
 * return forwardSvcRequest({ request, upstreamUrl: 'https://svc.example.com/v1/projects', token })
 */
export async function forwardSvcRequest(options: ForwardOptions): Promise<Response> {
  const { request, upstreamUrl, token } = options
  const headers = new Headers(request.headers)
  for (const name of NOT_SENT) headers.delete(name)
  headers.set('authorization', `Bearer ${token}`)
  headers.set('accept-encoding', 'identity')
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD' && request.body !== null
  const init: RequestInit & { duplex?: 'half' } = {
    method: request.method,
    headers,
    redirect: 'manual',
    signal: request.signal,
    ...(hasBody ? { body: request.body, duplex: 'half' as const } : {}),
  }
  try {
    const reply = await (options.fetch ?? fetch)(String(upstreamUrl), init)
    const returned = new Headers(reply.headers)
    for (const name of NOT_RETURNED) returned.delete(name)
    return new Response(reply.body, { status: reply.status, statusText: reply.statusText, headers: returned })
  } catch {
    // What failed on the way to the service is the operator's to see in their own logs, not the browser's.
    return Response.json({ error: 'The service cannot be reached. Try again in a moment.' }, { status: 502 })
  }
}
