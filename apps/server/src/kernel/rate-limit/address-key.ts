import { parseIp } from '../outbound/ip-address.ts'

/**
 * Under which name an address is counted. One IPv6 customer holds at least a /64 and can send each request from another
 * address in it, so the network counts; an IPv4 address counts for itself.
 */
export function addressKey(ip: string): string {
  const bytes = parseIp(ip)
  if (bytes?.length !== 16) return ip
  const groups = [0, 2, 4, 6].map((at) => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16))
  return `${groups.join(':')}::/64`
}
