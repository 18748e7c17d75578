import type { Readable } from 'node:stream'
import { problem } from '../../kernel/http/index.ts'
import type { RuntimeTransport } from '../../runtimes/index.ts'
import type { MachineRequest, Parts } from '../parts.ts'

/** The platform itself speaks: no person's rights are asked for inside. */
const platform = { userId: 'platform', role: 'platform_admin', scopes: [] } as const

/** How the runtime of one machine is reached. */
export function createTransport({ sandboxes }: Pick<Parts, 'sandboxes'>, externalId: string): RuntimeTransport {
  return ({ method, path, body, signal }) =>
    sandboxes.request(externalId, {
      method,
      path,
      context: platform,
      ...(signal ? { signal } : {}),
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
}

export interface DaemonCall {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly timeoutMs: number
  /** For what only the platform itself may ask for. */
  readonly isOwnCall?: boolean
}

export interface DaemonReply {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** One of the daemon's own routes. A machine that cannot be reached is `sandbox_unreachable`. */
export async function askDaemon(
  { sandboxes }: Pick<Parts, 'sandboxes'>,
  externalId: string,
  request: DaemonCall,
): Promise<DaemonReply> {
  const asked: MachineRequest = {
    method: request.method,
    path: request.path,
    signal: AbortSignal.timeout(request.timeoutMs),
    headers: {
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(request.isOwnCall ? { 'x-svc-service-call': '1' } : {}),
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  }
  try {
    const { status, body } = await sandboxes.request(externalId, asked)
    return { status, body: parse(await readText(body)) }
  } catch (cause) {
    throw problem('sandbox_unreachable', { cause })
  }
}

async function readText(body: Readable): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

function parse(text: string): Record<string, unknown> {
  const value: unknown = text === '' ? {} : JSON.parse(text)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
