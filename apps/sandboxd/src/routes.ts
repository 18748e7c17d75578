import type { Daemon } from './daemon.ts'
import { describeHealth } from './health.ts'
import { readJson, readText } from './http/read-body.ts'
import { refuse, sendJson } from './http/reply.ts'
import type { Call, Route } from './http/route.ts'
import { proxyPort } from './ports/proxy-port.ts'
import { forwardToRuntime } from './runtime/forward-to-runtime.ts'

/** Every path the daemon answers itself. */
export function listRoutes(daemon: Daemon): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/svc/health',
      access: 'open',
      handle: ({ response }) => sendJson(response, 200, describeHealth(daemon)),
    },
    { method: 'PUT', path: '/svc/conversation', access: 'platform', handle: (call) => pinConversation(daemon, call) },
    { method: '*', path: '/proxy/:port/*', access: 'context', handle: (call) => proxyPort(daemon, call) },
    { method: '*', path: '/proxy/:port', access: 'context', handle: (call) => proxyPort(daemon, call) },
    { method: '*', path: '/svc/*', access: 'key', handle: () => unknownRoute() },
  ]
}

export const runtimeRoute = (daemon: Daemon): Route => ({
  method: '*',
  path: '*',
  access: 'context',
  handle: (call) => forwardToRuntime(daemon, call),
})

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
