import type { Daemon } from '../daemon.ts'
import { refuse } from '../http/reply.ts'
import type { Call } from '../http/route.ts'
import { requireOpenPort } from './blocked-ports.ts'
import { forwardRequest } from './forward-request.ts'

const firstHeaderMs = 120_000

/** `ALL /proxy/{port}/*`: a program of the session, as it would be seen on its own port. */
export function proxyPort(daemon: Daemon, call: Call): Promise<void> {
  const port = requireOpenPort(daemon, call.params.port ?? '')
  return forwardRequest(call.request, call.response, {
    port,
    path: pathBelowPort(call.url),
    host: `localhost:${port}`,
    firstHeaderMs,
    refused: () => refuse(502, 'nothing_listening', `Nothing answers on port ${port}: start your program there.`),
    timedOut: () => refuse(504, 'port_timeout', `The program on port ${port} did not answer in time.`),
  })
}

export const pathBelowPort = (url: URL): string => `${url.pathname.replace(/^\/proxy\/[^/]+/, '') || '/'}${url.search}`
