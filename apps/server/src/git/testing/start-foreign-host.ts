import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { serveHttpBackend } from './serve-http-backend.ts'

export interface ForeignHost {
  /** `https://localhost:<port>`: repositories of the folder are below it. */
  readonly origin: string
  /** The certificate to trust. */
  readonly caFile: string
  close(): Promise<void>
}

/** Somebody else's git host: `git http-backend` behind TLS and passwords. */
export async function startForeignHost(
  root: string,
  /** Which password opens which path. */
  admits: (password: string, path: string) => boolean,
): Promise<ForeignHost> {
  const openssl = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', 'host-key.pem', '-out', 'host-cert.pem']
  execFileSync('openssl', [...openssl, ...names, ...files], { cwd: root, stdio: 'ignore' })
  const [key, cert] = ['host-key.pem', 'host-cert.pem'].map((name) => readFileSync(join(root, name)))
  const server = createServer({ key, cert }, (request, response) => {
    const basic = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString()
    if (!admits(basic.slice(basic.indexOf(':') + 1), request.url ?? '')) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="host"' }).end()
      return
    }
    serveHttpBackend(root, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    origin: `https://localhost:${port}`,
    caFile: join(root, 'host-cert.pem'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
