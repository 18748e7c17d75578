import { BlockList, isIP } from 'node:net'
import { StartError } from '../start-error.ts'

/**
 * Who is calling, by address. The connection's peer counts; a forwarded header counts only from a trusted proxy, and
 * then its right-most entry that is not itself a trusted proxy, so a caller cannot choose its own address.
 */
export function createClientIpReader(trustedProxies: readonly string[]) {
  const trusted = buildBlockList(trustedProxies)
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  return (peerAddress: string | undefined, forwardedFor: string | undefined): string => {
    const peer = plainAddress(peerAddress ?? '')
    if (trustedProxies.length === 0 || forwardedFor === undefined || isIP(peer) === 0 || !isTrusted(peer)) return peer
    const hops = forwardedFor.split(',').map((hop) => plainAddress(hop.trim()))
    for (const hop of hops.reverse()) {
      if (isIP(hop) === 0) return peer
      if (!isTrusted(hop)) return hop
    }
    return peer
  }
}

/** `::ffff:10.0.0.1` and `10.0.0.1` are one address; `[::1]:80` and `10.0.0.1:80` carry a port. */
function plainAddress(address: string): string {
  const bare = address.replace(/^\[([^\]]+)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return bare.startsWith('::ffff:') && isIP(bare.slice(7)) === 4 ? bare.slice(7) : bare
}

function buildBlockList(networks: readonly string[]): BlockList {
  const blockList = new BlockList()
  for (const network of networks) addNetwork(blockList, network)
  return blockList
}

function addNetwork(blockList: BlockList, network: string): void {
  const [address = '', prefix] = network.split('/')
  const family = isIP(address)
  const bits = prefix === undefined ? (family === 6 ? 128 : 32) : Number(prefix)
  if (family === 0 || !Number.isInteger(bits) || bits < 0 || bits > (family === 6 ? 128 : 32)) {
    throw new StartError(
      `SVC_TRUSTED_PROXIES: "${network}" is not an address or a network.`,
      'Write addresses or networks separated by commas, for example: SVC_TRUSTED_PROXIES=10.0.0.0/8,::1',
    )
  }
  blockList.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4')
}
