import { OutboundError } from './errors.ts'
import { type Cidr, isInside, parseCidr, parseIp, unwrapIpv4 } from './ip-address.ts'
import { refusalOf } from './refused-ranges.ts'

export interface AddressPolicy {
  /** Throws unless the URL is http or https, without credentials in it. */
  checkUrl(url: string | URL): URL
  /** Why this address may not be dialled for this host; undefined when it may. */
  refusal(hostname: string, address: string): string | undefined
}

/**
 * @param allowPrivate what the operator opened: addresses, CIDR ranges, host names, or `*.suffix` for every host below.
 */
export function createAddressPolicy(allowPrivate: readonly string[] = []): AddressPolicy {
  const allowedRanges: Cidr[] = []
  const allowedHosts = new Set<string>()
  for (const entry of allowPrivate) {
    const cidr = parseCidr(entry)
    if (cidr) allowedRanges.push(cidr)
    else allowedHosts.add(checkHostEntry(entry))
  }

  function isAllowed(hostname: string, address: string): boolean {
    if (isAllowedHost(allowedHosts, plainHost(hostname))) return true
    const ip = parseIp(address)
    if (!ip) return false
    return allowedRanges.some((cidr) => isInside(ip, cidr) || isInside(unwrapIpv4(ip), cidr))
  }

  return {
    checkUrl,
    refusal: (hostname, address) => (isAllowed(hostname, address) ? undefined : refusalOf(address)),
  }
}

/** Lower case, without the brackets of an IPv6 literal and without trailing dots. */
export function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '')
}

function checkUrl(input: string | URL): URL {
  const url = parseUrl(input)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refuse(`Only http and https addresses can be called, not ${url.protocol.slice(0, -1)}.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse('An address must not hold a user name or password. Send credentials in a header.')
  }
  return url
}

function parseUrl(input: string | URL): URL {
  try {
    return new URL(input)
  } catch {
    throw refuse('The address is not a valid URL.')
  }
}

function refuse(message: string): OutboundError {
  return new OutboundError('outbound_refused', message)
}

function isAllowedHost(allowed: Set<string>, hostname: string): boolean {
  if (allowed.has(hostname)) return true
  const labels = hostname.split('.')
  return labels.some((_, at) => at > 0 && allowed.has(`*.${labels.slice(at).join('.')}`))
}

/** An address, a range, a host name, or `*.suffix`. */
export function isAllowEntry(entry: string): boolean {
  return parseCidr(entry) !== undefined || isHostEntry(plainHost(entry))
}

function checkHostEntry(entry: string): string {
  const host = plainHost(entry)
  if (isHostEntry(host)) return host
  throw new Error(`"${entry}" in the list of allowed private addresses is neither an address, a range nor a host name.`)
}

function isHostEntry(host: string): boolean {
  return /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/.test(host) && !/^[\d.]+$/.test(host)
}
