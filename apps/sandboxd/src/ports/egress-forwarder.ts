import { connect, createServer, type Server } from 'node:net'
import { listen } from './listen.ts'
import { pipeBoth } from './pipe-both.ts'

/**
 * A loopback port whose bytes go to the host's egress socket, which tells a proxy request from one to the platform's
 * API by its first line. The machine has no other network.
 */
export async function forwardToEgress(port: number, socketPath: string): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const egress = connect({ path: socketPath, allowHalfOpen: true })
    pipeBoth(client, egress)
  })
  await listen(server, { host: '127.0.0.1', port })
  return server
}
