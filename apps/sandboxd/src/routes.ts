import { type Daemon, isSettled } from './daemon.ts'
import { syncEnvironment } from './environment/sync-environment.ts'
import { execCommand } from './exec/exec-route.ts'
import { listFileRoutes } from './files/file-routes.ts'
import type { Roots } from './files/roots.ts'
import type { Uploads } from './files/uploads.ts'
import { listGitRoutes } from './git/git-routes.ts'
import { describeHealth } from './health.ts'
import { readJson, readText } from './http/read-body.ts'
import { refuse, sendJson } from './http/reply.ts'
import type { Call, Route } from './http/route.ts'
import { proxyPort } from './ports/proxy-port.ts'
import { proxyWeb } from './ports/web-proxy.ts'
import { listPtyRoutes } from './pty/pty-routes.ts'
import type { Terminals } from './pty/terminals.ts'
import { abortTurn } from './runtime/abort-turn.ts'
import { describeTurn } from './runtime/describe-turn.ts'
import { forwardToRuntime } from './runtime/forward-to-runtime.ts'

export interface RouteParts {
  readonly daemon: Daemon
  readonly roots: Roots
  readonly uploads: Uploads
  readonly terminals: Terminals
  /** The file of this very program, which text searches run in threads. */
  readonly program: string
}

/** Every path the daemon answers itself; the first that matches is taken. */
export function listRoutes({ daemon, roots, uploads, terminals, program }: RouteParts): readonly Route[] {
  return [
    { method: 'GET', path: '/svc/health', access: 'open', handle: (call) => sendHealth(daemon, call) },
    { method: 'PUT', path: '/svc/conversation', access: 'platform', handle: (call) => pinConversation(daemon, call) },
    { method: 'POST', path: '/svc/env', access: 'platform', handle: (call) => syncEnvironment(daemon, call) },
    { method: 'POST', path: '/svc/exec', access: 'platform', handle: (call) => execCommand(daemon, call) },
    {
      method: 'POST',
      path: '/svc/abort',
      access: 'key',
      handle: async ({ response }) => sendJson(response, 200, await abortTurn(daemon)),
    },
    ...listGitRoutes(daemon),
    ...listPtyRoutes(terminals),
    { method: '*', path: '/svc/*', access: 'key', handle: () => unknownRoute() },
    ...listFileRoutes(daemon, roots, uploads, program),
    { method: '*', path: '/proxy/:port/*', access: 'context', handle: (call) => proxyPort(daemon, call) },
    { method: 'GET', path: '/web-proxy/:scheme/:host/*', access: 'context', handle: (call) => proxyWeb(daemon, call) },
  ]
}

export const runtimeRoute = (daemon: Daemon): Route => ({
  method: '*',
  path: '*',
  access: 'context',
  handle: (call) => forwardToRuntime(daemon, call),
})

const longestWaitMs = 10_000

/** With `wait_ms` it answers when the boot has settled, or when that time is over. */
async function sendHealth(daemon: Daemon, { response, url }: Call): Promise<void> {
  const query = url.searchParams
  const waitMs = Math.min(Number(query.get('wait_ms')) || 0, longestWaitMs)
  if (waitMs > 0) await waitUntilSettled(daemon, AbortSignal.timeout(waitMs))
  const turn =
    query.get('turn') === '1'
      ? await describeTurn(daemon, query.get('turn_session_id'), query.get('turn_message_id'))
      : {}
  sendJson(response, 200, { ...describeHealth(daemon), ...turn })
}

async function waitUntilSettled(daemon: Daemon, signal: AbortSignal): Promise<void> {
  while (!isSettled(daemon) && !signal.aborted) await daemon.timeline.next(signal)
}

async function pinConversation(daemon: Daemon, call: Call): Promise<void> {
  const body = await readJson(call.request)
  const id = readText(body, 'opencode_session_id')
  if (!id) throw refuse(400, 'bad_request', 'opencode_session_id is missing.')
  daemon.conversationId = id
  daemon.timeline.mark('conversation_pinned')
  sendJson(call.response, 200, { ok: true, opencode_session_id: id })
}

function unknownRoute(): never {
  throw refuse(404, 'not_found', 'The sandbox daemon has no such route.')
}
