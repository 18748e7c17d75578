import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { type AddressPolicy, plainHost } from './address-policy.ts'
import { OutboundError } from './errors.ts'

export type Resolve = (hostname: string) => Promise<string[]>

export interface GuardedAgentOptions {
  policy: AddressPolicy
  connectTimeoutMs?: number
  /** How names become addresses; the system's resolver unless a test says otherwise. */
  resolve?: Resolve
  agent?: Omit<Agent.Options, 'connect'>
}

/** Addresses of one name that are tried in turn. */
const MAX_ADDRESSES = 4

/**
 * An undici agent that resolves a name once, checks every address, and dials one it checked. A name that answers
 * differently a moment later (rebinding) is never asked again for that connection.
 */
export function createGuardedAgent(options: GuardedAgentOptions): Agent {
  return new Agent({ ...options.agent, connect: createGuardedConnector(options) })
}

export function createGuardedConnector(options: GuardedAgentOptions): buildConnector.connector {
  const { policy, resolve = resolveBySystem, connectTimeoutMs = 10_000 } = options
  const dial = buildConnector({ timeout: connectTimeoutMs, autoSelectFamily: false })

  async function connect(target: buildConnector.Options) {
    const hostname = plainHost(target.hostname)
    const addresses = await findAddresses(hostname, policy, resolve)
    let failure: unknown
    for (const address of addresses) {
      try {
        return await dialAddress(dial, target, hostname, address)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  return (target, callback) => {
    connect(target).then(
      (socket) => callback(null, socket),
      (error) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

async function findAddresses(hostname: string, policy: AddressPolicy, resolve: Resolve): Promise<string[]> {
  const found = isIP(hostname) ? [hostname] : await resolve(hostname)
  const refusals: string[] = []
  const allowed = found.filter((address) => {
    const why = policy.refusal(hostname, address)
    if (why) refusals.push(`${address} (${why})`)
    return !why
  })
  if (allowed.length > 0) return allowed.slice(0, MAX_ADDRESSES)
  if (refusals.length === 0) throw new OutboundError('outbound_unreachable', `The host ${hostname} has no address.`)
  throw new OutboundError(
    'outbound_refused',
    `The host ${hostname} leads to no public address. Only public addresses can be called; an operator can allow others.`,
    // For the log alone: told to the caller, the addresses would draw a map of the network inside.
    { cause: new Error(`${hostname} is ${refusals.join(', ')}`) },
  )
}

type Socket = NonNullable<Parameters<buildConnector.Callback>[1]>

function dialAddress(
  dial: buildConnector.connector,
  target: buildConnector.Options,
  hostname: string,
  address: string,
): Promise<Socket> {
  // The certificate is checked against the name that was asked for, not against the address.
  const servername = target.servername || (isIP(hostname) ? undefined : hostname)
  return new Promise((resolve, reject) => {
    dial({ ...target, hostname: address, ...(servername ? { servername } : {}) }, (error, socket) => {
      if (error) reject(error)
      else if (socket) resolve(socket)
      else reject(new Error('no socket'))
    })
  })
}

async function resolveBySystem(hostname: string): Promise<string[]> {
  try {
    const found = await systemLookup(hostname, { all: true, verbatim: true })
    return found.map(({ address }) => address)
  } catch (cause) {
    throw new OutboundError('outbound_unreachable', `The host ${hostname} could not be found.`, { cause })
  }
}
