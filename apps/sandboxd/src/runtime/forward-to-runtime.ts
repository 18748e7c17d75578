import { isServiceCall } from '../auth/authenticate.ts'
import { type Daemon, isConversationRequired } from '../daemon.ts'
import { Refusal, refuse } from '../http/reply.ts'
import type { Call } from '../http/route.ts'
import { forwardRequest } from '../ports/forward-request.ts'
import type { Runtime } from './supervise-runtime.ts'

const firstHeaderMs = 10_000
const blockingTurnMs = 600_000
/** These answer when the whole turn is done. */
const blocking = /^\/session\/[^/]+\/(message|command|shell|summarize)$/
/** Later than the runtime's own heartbeat, sooner than the fifteen seconds that clients are promised. */
const keepaliveMs = 12_000

/** Everything that is not the daemon's own goes to the runtime, as soon as it can answer. */
export function forwardToRuntime(daemon: Daemon, call: Call): Promise<void> {
  const runtime = requireRuntime(
    daemon,
    isServiceCall(call.request.headers) || call.context?.sandboxRole === 'platform_admin',
  )
  const isBlocking = call.request.method === 'POST' && blocking.test(call.url.pathname)
  return forwardRequest(call.request, call.response, {
    port: runtime.port,
    path: `${call.url.pathname}${call.url.search}`,
    host: `127.0.0.1:${runtime.port}`,
    firstHeaderMs: isBlocking ? blockingTurnMs : firstHeaderMs,
    keepaliveMs,
    refused: () => notReady('The agent runtime is not answering.', 'runtime_unreachable'),
    timedOut: () => refuse(504, 'runtime_timeout', 'The agent runtime did not answer in time.'),
  })
}

/**
 * The runtime, once it can be talked to. The platform is let through before the first conversation exists: it is the
 * one that makes it.
 */
export function requireRuntime(daemon: Daemon, isPlatform: boolean): Runtime {
  const { repository, runtime } = daemon
  if (repository.status === 'failed') {
    throw notReady(repository.error ?? 'The repository could not be checked out.', 'repo_materialization_failed')
  }
  if (repository.status === 'pending') {
    throw notReady('The repository is still being checked out.', 'repo_not_materialized')
  }
  if (daemon.bootError !== undefined) throw notReady(daemon.bootError, 'initial_opencode_session_failed')
  if (!runtime) throw notReady('This sandbox was started without an agent runtime.', 'runtime_unreachable')
  if (runtime.state !== 'ok') {
    if (runtime.fault !== undefined) throw notReady(runtime.fault, 'initial_opencode_session_failed')
    throw notReady('The agent runtime is starting.', 'initial_opencode_session_pending')
  }
  if (!isPlatform && isConversationRequired(daemon) && daemon.conversationId === undefined) {
    throw notReady('The first conversation is being made.', 'initial_opencode_session_pending')
  }
  return runtime
}

const notReady = (error: string, reason: string) => new Refusal(503, { error, code: 'runtime_not_ready', reason })
