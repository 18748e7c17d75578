import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request as send } from 'node:http'
import { type Duplex, pipeline, type Readable } from 'node:stream'
import { problem } from '../kernel/http/index.ts'
import { isClosedPort } from './closed-ports.ts'
import type { OpenMachine } from './open-machine.ts'
import type { Parts } from './parts.ts'
import { PortRefused } from './port-refused.ts'
import { PortStream } from './port-stream.ts'
import { openServiceKey } from './service-key.ts'
import { findByExternalId } from './store.ts'
import { signUserContext, type UserContext } from './user-context.ts'

export interface DaemonRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Uint8Array | Readable
  readonly signal?: AbortSignal
  /** On whose behalf; every route of the runtime needs one. */
  readonly context?: UserContext
}

export interface DaemonAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
}

/** Refuses with `sandbox_not_ready` unless the machine is active. */
export async function openMachine(
  { kernel, requireProvider, clients }: Parts,
  externalId: string,
): Promise<OpenMachine> {
  const known = clients.find(externalId)
  if (known) return known
  const row = await findByExternalId(kernel.database.db, externalId)
  if (row?.status !== 'active' || row.projectId === null) throw problem('sandbox_not_ready')
  const machine = {
    externalId,
    sandboxId: row.sandboxId,
    provider: requireProvider(row.provider),
    serviceKey: await openServiceKey(kernel.envelope, row),
  }
  clients.remember(machine)
  return machine
}

/** Sends one request; resolves with the head of the answer while its body still streams. */
export function requestDaemon(parts: Parts, machine: OpenMachine, request: DaemonRequest): Promise<DaemonAnswer> {
  const { externalId, sandboxId, provider, serviceKey } = machine
  const { context, body, signal } = request
  const agent = parts.clients.agentFor(externalId, () => provider.connect(externalId))
  const nowMs = parts.kernel.clock.nowMs()
  return new Promise((resolve, reject) => {
    const sent = send({
      agent,
      host: 'localhost',
      method: request.method,
      path: request.path,
      headers: {
        ...request.headers,
        authorization: `Bearer ${serviceKey}`,
        ...(context && { 'x-svc-user-context': signUserContext(context, { sandboxId, serviceKey, nowMs }) }),
      },
      ...(signal && { signal }),
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response })
    })
    if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) sent.end(body)
    else pipeline(body, sent, (error) => error && sent.destroy(error))
  })
}

export function signHeaders({ kernel }: Parts, { sandboxId, serviceKey }: OpenMachine, context: UserContext) {
  const signed = signUserContext(context, { sandboxId, serviceKey, nowMs: kernel.clock.nowMs() })
  return { authorization: `Bearer ${serviceKey}`, 'x-svc-user-context': signed }
}

const daemonPort = 8000
/** Where ports can be dialled, a tunnel only bridges the time until they are. */
const tunnelMs = 1_000

/** A stream to a port inside, as if dialled there; to the daemon's own port it is the daemon's HTTP connection. */
export async function connectPort(machine: OpenMachine, port: number): Promise<Duplex> {
  const { externalId, provider } = machine
  if (port === daemonPort) return provider.connect(externalId)
  const stream = new PortStream()
  const dialled = isClosedPort(port) ? undefined : await provider.dialPort?.(externalId, port, stream.onread)
  if (dialled) return stream.join(dialled)
  if (provider.dialPort) stream.keepFor(tunnelMs)
  return openTunnel(machine, port, stream.join(await provider.connect(externalId, stream.onread)))
}

/** The daemon dials the port, or refuses it, and passes bytes from then on. */
function openTunnel({ serviceKey }: OpenMachine, port: number, stream: Duplex): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const asked = send({
      method: 'CONNECT',
      path: `127.0.0.1:${port}`,
      host: 'localhost',
      createConnection: () => stream,
      headers: { host: `127.0.0.1:${port}`, authorization: `Bearer ${serviceKey}` },
    })
    asked.once('error', reject)
    asked.once('connect', (response, socket, head) => {
      if (response.statusCode !== 200) {
        socket.destroy()
        return reject(new PortRefused(port, String(response.statusCode)))
      }
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    asked.end()
  })
}
