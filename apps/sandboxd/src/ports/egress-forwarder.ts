import { createServer, type Server } from 'node:net'
import { joinTunnel } from './join-tunnel.ts'
import { listen } from './listen.ts'

/**
 * A loopback port whose bytes go to the host's egress socket, which tells a proxy request from one to the platform's
 * API by its first line. The machine has no other network.
 */
export async function forwardToEgress(port: number, socketPath: string): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    client.on('error', () => client.destroy())
    // No way out: the program sees its connection closed, as it would without a network.
    joinTunnel(client, { path: socketPath }, () => undefined).catch(() => client.destroy())
  })
  await listen(server, { host: '127.0.0.1', port })
  return server
}
