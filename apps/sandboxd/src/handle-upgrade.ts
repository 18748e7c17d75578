import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { authenticate } from './auth/authenticate.ts'
import type { Daemon } from './daemon.ts'
import { parseUrl } from './http/serve.ts'
import { requireOpenPort } from './ports/blocked-ports.ts'
import { forwardUpgrade } from './ports/forward-upgrade.ts'
import { pathBelowPort } from './ports/proxy-port.ts'
import type { TerminalUpgrades } from './pty/pty-routes.ts'
import { requireRuntime } from './runtime/forward-to-runtime.ts'

/** WebSockets: a terminal of the daemon, a program's port, or the runtime. */
export async function handleUpgrade(
  daemon: Daemon,
  terminals: TerminalUpgrades,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const url = parseUrl(request)
  const terminal = terminals.match(url.pathname)
  authenticate(request.headers, terminal === undefined ? 'context' : 'key', daemon.boot?.serviceKey)
  if (terminal !== undefined) {
    terminals.accept(terminal, url, request, socket, head)
    return
  }
  const [, portText] = /^\/proxy\/([^/]+)(?:\/|$)/.exec(url.pathname) ?? []
  if (portText !== undefined) {
    const port = requireOpenPort(daemon, portText)
    await forwardUpgrade(request, socket, head, { port, path: pathBelowPort(url), host: `localhost:${port}` })
    return
  }
  const { port } = requireRuntime(daemon, false)
  const path = `${url.pathname}${url.search}`
  await forwardUpgrade(request, socket, head, { port, path, host: `127.0.0.1:${port}` })
}
