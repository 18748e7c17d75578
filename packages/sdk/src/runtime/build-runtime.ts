import { type CallTree, callService, placeCall, type RunCall, readResult } from '../client/build-calls.ts'
import { parseCalls } from '../client/parse-calls.ts'
import type { ConfigSource } from '../config/svc-config.ts'
import type { EventStreamClient } from '../events/run-event-stream.ts'
import { fetchAuthenticated } from '../http/authenticated-fetch.ts'
import { type ServiceRequest, sendRequest } from '../http/send-request.ts'
import { stripTrailingSlashes } from '../text/split-path.ts'
import type { RuntimeClient } from './runtime-calls.ts'
import { RUNTIME_CALLS } from './runtime-table.ts'

/** The calls of the runtime at an address, over any source of config. */
export function buildRuntimeCalls(url: string, source: ConfigSource, run: RunCall): RuntimeClient {
  const base = stripTrailingSlashes(url)
  const tree: CallTree = {}
  for (const call of parseCalls(RUNTIME_CALLS)) {
    placeCall(tree, call.path, (...args) => run(() => callService(source, call, args, { silent: true }, base)))
  }
  const client = {
    ...tree,
    url: base,
    request: (request: ServiceRequest, read: (response: Response) => Promise<unknown> = readResult) =>
      run(() => sendRequest(source(), { ...request, base }, read)),
    ...streamEvents(() => `${base}/global/event`, source, run),
  }
  // The table gives the calls, the interface their types; the accounting test holds the two together.
  return client as unknown as RuntimeClient
}

/** The clients of runtimes by their addresses, one for each, so that streams opened on it share a connection. */
export function poolRuntimes(source: ConfigSource, run: RunCall, pool = new Map<string, RuntimeClient>()) {
  return (url: string): RuntimeClient => {
    const client = pool.get(url) ?? buildRuntimeCalls(url, source, run)
    pool.set(url, client)
    return client
  }
}

/** A source of events behind a credential, for `openEventStream`. The address is asked for at each connect. */
export function streamEvents(url: () => string, source: ConfigSource, run: RunCall): EventStreamClient {
  return {
    connectEvents: ({ lastEventId, signal }) =>
      run(() =>
        fetchAuthenticated(
          source(),
          url(),
          { signal, headers: { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) } },
          { retryOnAuthError: false, timeoutMs: 0 },
        ),
      ),
    refreshToken: () => run(() => source().getToken()),
  }
}
