import { lookup, Resolver } from 'node:dns/promises'
import type { Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type AddressPolicy, createGuardedConnector, type Resolve } from '../../kernel/outbound/index.ts'
import { isInside, parseCidr, parseIp, unwrapIpv4 } from '../../kernel/outbound/ip-address.ts'
import { createSlots } from '../../kernel/slots.ts'
import type { Target } from './target.ts'

export type Dial = (target: Target) => Promise<Socket>

export interface DialOptions {
  readonly policy: AddressPolicy
  /** How names become addresses; for tests. */
  readonly resolve?: Resolve
  readonly connectTimeoutMs?: number
}

/** Resolves once, checks every address, dials one that it checked. */
export function createDial({ policy, resolve = createResolve(), connectTimeoutMs = 10_000 }: DialOptions): Dial {
  const connect = createGuardedConnector({ policy, resolve, connectTimeoutMs })
  return ({ host, port }) =>
    new Promise((done, fail) => {
      connect({ hostname: host, host, port: String(port), protocol: 'http:' }, (error, socket) => {
        if (socket) done(socket)
        else fail(error ?? new Error('no socket'))
      })
    })
}

/**
 * What a sandbox may reach. What the operator opened for the platform's own calls counts for sandboxes too, except
 * this machine itself and the link-local addresses where clouds keep their metadata: those stay closed always.
 */
export function createSandboxPolicy(outer: AddressPolicy): AddressPolicy {
  return {
    checkUrl: outer.checkUrl,
    refusal: (hostname, address) => (isThisMachine(address) ? 'this machine' : outer.refusal(hostname, address)),
  }
}

const closed = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '::/128', '::1/128', 'fe80::/10'].flatMap(
  (range) => parseCidr(range) ?? [],
)

function isThisMachine(address: string): boolean {
  const parsed = parseIp(address)
  if (!parsed) return true
  const ip = unwrapIpv4(parsed)
  if (closed.some((range) => isInside(ip, range))) return true
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return own.some((one) => {
    const range = parseCidr(one.address)
    return range !== undefined && isInside(ip, range)
  })
}

/**
 * Asks the name server without occupying the thread pool that files and other lookups share: however many slow names
 * sandboxes ask for, nothing else waits for them. Names that only the system knows (a hosts file) take at most one
 * thread.
 */
function createResolve(): Resolve {
  const system = createSlots(1)
  return async (hostname) => {
    const resolver = new Resolver({ timeout: 3_000, tries: 2 })
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    return system.run(async () => (await lookup(hostname, { all: true })).map(({ address }) => address))
  }
}
