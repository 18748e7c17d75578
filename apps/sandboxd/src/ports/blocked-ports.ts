import type { Daemon } from '../daemon.ts'
import { refuse } from '../http/reply.ts'

/**
 * A port that may be reached from outside, or the refusal. The daemon's own ports and the runtime's stay closed: the
 * way to the runtime passes its checks, and the ways out belong to the agent alone.
 */
export function requireOpenPort(daemon: Daemon, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) throw refuse(400, 'bad_port', 'The port must be a number from 1 to 65535.')
  const { proxyPort, apiPort } = daemon.settings
  const blocked = [22, 4096, 8000, daemon.runtime?.port, proxyPort, apiPort]
  if (blocked.includes(port))
    throw refuse(403, 'port_blocked', `Port ${port} of a sandbox cannot be reached from outside.`)
  return port
}
