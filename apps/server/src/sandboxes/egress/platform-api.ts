import { Agent, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { forwardHeaders } from './raw-headers.ts'
import { answerRefusal, badRequest, EgressRefusal, refuseSocket } from './refusal.ts'
import { type Onward, relayRequest, relayUpgrade } from './relay-request.ts'

export interface PlatformApi {
  request(request: IncomingMessage, response: ServerResponse): Promise<void>
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>
  stop(): void
}

const unavailable = new EgressRefusal(
  'unreachable',
  503,
  'platform_unavailable',
  'The platform does not answer right now.',
  'Try again in a few seconds.',
)

/**
 * The platform's own API for those inside a sandbox. Only what is below `/v1/` is passed on: pages that trust whoever
 * is on this machine (the local mailbox, the first sign-in) do not trust a sandbox. Whatever the sandbox claims about
 * where it comes from is dropped.
 */
export function createPlatformApi(host: string, port: () => number): PlatformApi {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 32, timeout: 30_000 })
  const reach = loopbackOf(host)

  function plan(request: IncomingMessage): Onward | undefined {
    const target = request.url ?? ''
    if (!target.startsWith('/') || !URL.canParse(target, 'http://platform')) return undefined
    const { pathname, search, host: named } = new URL(target, 'http://platform')
    if (named !== 'platform' || !pathname.startsWith('/v1/')) return undefined
    const own = forwardHeaders(request.rawHeaders, isClaim)
    const authority = `${reach.includes(':') ? `[${reach}]` : reach}:${port()}`
    return {
      via: { host: reach, port: port(), agent },
      path: pathname + search,
      rawHeaders: ['Host', authority, ...own],
    }
  }

  return {
    async request(request, response) {
      const onward = plan(request)
      if (!onward) return answerRefusal(response, badRequest)
      await relayRequest(request, response, onward).catch(() => answerRefusal(response, unavailable))
    },
    async upgrade(request, socket, head) {
      const onward = plan(request)
      if (!onward) return refuseSocket(socket, badRequest)
      await relayUpgrade(request, socket, head, onward).catch(() => refuseSocket(socket, unavailable))
    },
    stop: () => agent.destroy(),
  }
}

function isClaim(name: string): boolean {
  return name === 'host' || name === 'forwarded' || name.startsWith('x-forwarded-') || name === 'x-real-ip'
}

function loopbackOf(host: string): string {
  if (host === '0.0.0.0' || host === 'localhost') return '127.0.0.1'
  return host === '::' ? '::1' : host
}
