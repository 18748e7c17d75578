import { networkInterfaces } from 'node:os'
import { type Cidr, type IpBytes, isInside, parseCidr, parseIp, unwrapIpv4 } from './ip-address.ts'

/** Where a user-supplied address may not lead, and what people call it. */
const REFUSED: Array<[string, string]> = [
  ['0.0.0.0/8', 'this machine'],
  ['10.0.0.0/8', 'a private network'],
  ['100.64.0.0/10', 'a carrier network'],
  ['127.0.0.0/8', 'this machine'],
  ['169.254.0.0/16', 'link-local, where cloud metadata lives'],
  ['172.16.0.0/12', 'a private network'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved for documentation'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'a private network'],
  ['198.18.0.0/15', 'reserved for benchmarks'],
  ['198.51.100.0/24', 'reserved for documentation'],
  ['203.0.113.0/24', 'reserved for documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::/128', 'this machine'],
  ['::1/128', 'this machine'],
  ['64:ff9b:1::/48', 'a private translation network'],
  ['2001::/23', 'reserved or a tunnel'],
  ['2001:db8::/32', 'reserved for documentation'],
  ['2002::/16', 'a tunnel'],
  ['3fff::/20', 'reserved for documentation'],
  ['fc00::/7', 'a private network'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'a private network'],
  ['ff00::/8', 'multicast'],
]

const ranges = REFUSED.map(([text, label]) => ({ cidr: mustParse(text), label }))
/** The only part of IPv6 that is routed on the internet. */
const GLOBAL_IPV6 = mustParse('2000::/3')

/** Why an address may not be dialled, undefined when it may. */
export function refusalOf(address: string): string | undefined {
  const parsed = parseIp(address)
  if (!parsed) return 'not an address'
  const ip = unwrapIpv4(parsed)
  const range = ranges.find(({ cidr }) => isInside(ip, cidr))
  if (range) return range.label
  if (ip.length === 16 && !isInside(ip, GLOBAL_IPV6)) return 'not a public address'
  return isOwnAddress(ip) ? 'this machine' : undefined
}

/** A public address of this very machine reaches its services behind the firewall, so it counts as private. */
function isOwnAddress(ip: IpBytes): boolean {
  return Object.values(networkInterfaces()).some((list) =>
    list?.some(({ address }) => {
      const own = parseIp(address)
      return own !== undefined && own.length === ip.length && own.every((byte, at) => byte === ip[at])
    }),
  )
}

function mustParse(text: string): Cidr {
  const cidr = parseCidr(text)
  if (!cidr) throw new Error(`${text} is not an address range`)
  return cidr
}
