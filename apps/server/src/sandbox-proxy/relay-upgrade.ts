import { type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { takeSocket } from '../kernel/http/index.ts'
import { failConnecting } from './explain-failure.ts'
import type { MachineAgents } from './machine-agents.ts'
import { headersOut } from './pass-headers.ts'
import type { Target } from './read-target.ts'

export interface UpgradeRelay {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly target: Target
  readonly headers: OutgoingHttpHeaders
}

/** Opens the same upgrade inside the machine; when that accepts, joins the two connections until one of them ends. */
export async function relayUpgrade(agents: MachineAgents, relay: UpgradeRelay): Promise<void> {
  const { outgoing, target } = relay
  const reply = await ask(agents, relay)
  if (!reply.socket) {
    outgoing.writeHead(reply.answered.statusCode ?? 502, headersOut(reply.answered, target))
    await pipeline(reply.answered, outgoing)
    return
  }
  const outside = takeSocket(outgoing)
  outside.write(switchingProtocols(reply.answered))
  if (reply.head.length > 0) outside.write(reply.head)
  await join(outside, reply.socket)
}

interface Reply {
  readonly answered: IncomingMessage
  readonly socket: Duplex | undefined
  readonly head: Buffer
}

function ask(agents: MachineAgents, { incoming, outgoing, target, headers }: UpgradeRelay): Promise<Reply> {
  // No body is sent: one that was announced would be taken from whatever comes next on a connection that is kept.
  const { 'content-length': _length, expect: _expect, ...sent } = headers
  return new Promise((resolve, reject) => {
    const outbound = request({
      agent: agents.agentFor(target.externalId, target.port),
      method: 'GET',
      path: target.path,
      headers: { ...sent, connection: 'Upgrade', upgrade: incoming.headers.upgrade ?? 'websocket' },
      setHost: false,
    })
    outgoing.once('close', () => outbound.destroy())
    outbound.once('upgrade', (answered, socket, head) => resolve({ answered, socket, head }))
    outbound.once('response', (answered) => resolve({ answered, socket: undefined, head: Buffer.alloc(0) }))
    outbound.once('error', (error) => reject(failConnecting(error, target)))
    outbound.end()
  })
}

function switchingProtocols({ rawHeaders }: IncomingMessage): string {
  let head = 'HTTP/1.1 101 Switching Protocols\r\n'
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'set-cookie') continue
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
  }
  return `${head}\r\n`
}

async function join(outside: Duplex, inside: Duplex): Promise<void> {
  const ends = [pipeline(outside, inside), pipeline(inside, outside)]
  // Either side may cut the connection at any time; the other is then cut as well, and that is how these end.
  await Promise.allSettled(ends)
}
