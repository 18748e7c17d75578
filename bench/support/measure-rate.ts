import { connect } from 'node:net'

interface Load {
  readonly port: number
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly connections?: number
  readonly requests?: number
}

/**
 * Requests per second on loopback over a few keep-alive connections, one request in flight on each. The client writes
 * prepared bytes and only counts answers, so the server is what is measured. Bounded by a count.
 */
export async function measureRate(load: Load): Promise<number> {
  const connections = load.connections ?? 16
  const perConnection = Math.ceil((load.requests ?? 12_000) / connections)
  const startedAtMs = performance.now()
  await Promise.all(Array.from({ length: connections }, () => drive(load, perConnection)))
  return (perConnection * connections) / ((performance.now() - startedAtMs) / 1000)
}

function drive({ port, method, path, body = '' }: Load, count: number): Promise<void> {
  const length = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  const request = Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${length}\r\n${body}`)
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    let left = count
    let pending = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      pending += chunk
      const end = pending.indexOf('\r\n\r\n')
      if (end === -1) return
      if (!pending.startsWith('HTTP/1.1 200')) return reject(new Error(`unexpected answer: ${pending.slice(0, 200)}`))
      const size = Number(/content-length: (\d+)/i.exec(pending)?.[1] ?? 0)
      if (pending.length < end + 4 + size) return
      pending = ''
      left -= 1
      if (left > 0) return socket.write(request)
      socket.end()
      resolve()
    })
    socket.on('error', reject)
  })
}
