import { isIP } from 'node:net'

/** An address as 4 or 16 bytes. */
export type IpBytes = Uint8Array

/** Undefined for anything but a plain IPv4 or IPv6 literal; a zone (`%eth0`) is left off. */
export function parseIp(text: string): IpBytes | undefined {
  const address = text.replace(/%.*$/, '')
  const version = isIP(address)
  if (version === 4) return Uint8Array.from(address.split('.'), Number)
  if (version === 6) return parseIpv6(address)
  return undefined
}

/** The IPv4 address inside a mapped (`::ffff:0:0/96`) or translated (`64:ff9b::/96`) IPv6 one, where a packet ends up. */
export function unwrapIpv4(ip: IpBytes): IpBytes {
  if (ip.length !== 16) return ip
  return EMBEDS_IPV4.some((prefix) => prefix.every((byte, at) => ip[at] === byte)) ? ip.subarray(12) : ip
}

const EMBEDS_IPV4 = [
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff],
  [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
]

export interface Cidr {
  ip: IpBytes
  bits: number
}

/** `10.0.0.0/8`, `fd00::/8`, or one address. Undefined when it is neither. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length, ...rest] = text.split('/')
  const ip = parseIp(address)
  if (!ip || rest.length > 0) return undefined
  const bits = length === undefined ? ip.length * 8 : Number(length)
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined
  return bits <= ip.length * 8 ? { ip, bits } : undefined
}

export function isInside(ip: IpBytes, cidr: Cidr): boolean {
  if (ip.length !== cidr.ip.length) return false
  for (let at = 0, left = cidr.bits; left > 0; at++, left -= 8) {
    const mask = left >= 8 ? 0xff : (0xff << (8 - left)) & 0xff
    if (((ip[at] ?? 0) & mask) !== ((cidr.ip[at] ?? 0) & mask)) return false
  }
  return true
}

function parseIpv6(address: string): IpBytes {
  const [head = '', tail] = address.split('::')
  const left = parseGroups(head)
  const right = tail === undefined ? [] : parseGroups(tail)
  const missing = 16 - left.length - right.length
  return Uint8Array.from([...left, ...new Array<number>(missing).fill(0), ...right])
}

function parseGroups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}
