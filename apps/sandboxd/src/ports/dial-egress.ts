import { existsSync, readFileSync } from 'node:fs'
import { type IncomingMessage, request as openRequest } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'

export interface Outgoing {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** One request to the outside, through the host's egress socket like everything that leaves a machine. */
export async function requestOutside(
  runDir: string,
  { url, method, headers, timeoutMs }: Outgoing,
): Promise<IncomingMessage> {
  const socketPath = join(runDir, 'egress.sock')
  const shared = { method, headers: { ...headers, Host: url.host }, timeout: timeoutMs }
  if (url.protocol === 'http:') return answerOf(openRequest({ ...shared, socketPath, path: url.href }))
  const tunnel = await openTunnel(socketPath, `${url.hostname}:${url.port || 443}`, timeoutMs)
  const bundle = join(runDir, 'ca-bundle.pem')
  const ca = existsSync(bundle) ? { ca: readFileSync(bundle) } : {}
  const secure = connectTls({ socket: tunnel, servername: url.hostname, ALPNProtocols: ['http/1.1'], ...ca })
  return answerOf(openRequest({ ...shared, path: `${url.pathname}${url.search}`, createConnection: () => secure }))
}

function openTunnel(socketPath: string, target: string, timeoutMs: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const asked = openRequest({
      socketPath,
      method: 'CONNECT',
      path: target,
      headers: { Host: target },
      timeout: timeoutMs,
    })
    asked.once('connect', (answer, socket) => {
      if (answer.statusCode === 200) {
        resolve(socket)
        return
      }
      socket.destroy()
      reject(new Error(`the way out answered ${answer.statusCode}`))
    })
    asked.once('response', (answer) => {
      answer.resume()
      reject(new Error(`the way out answered ${answer.statusCode}`))
    })
    asked.once('timeout', () => asked.destroy(new Error('no answer in time')))
    asked.once('error', reject)
    asked.end()
  })
}

function answerOf(asked: ReturnType<typeof openRequest>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asked.once('response', resolve)
    asked.once('timeout', () => asked.destroy(new Error('no answer in time')))
    asked.once('error', reject)
    asked.end()
  })
}
