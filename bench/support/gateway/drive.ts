import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'

/** How each side is called: where, and with what besides the body. */
export interface Target {
  readonly name: string
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const sentence = 'Say something about the weather of tomorrow. '

export interface Kind {
  readonly isStream: boolean
  /** An agent's prompt grows with its session; one of a kilobyte is where it starts. */
  readonly promptKib?: number
}

export function writeCall({ isStream, promptKib = 1 }: Kind): string {
  const content = sentence.repeat(Math.floor((promptKib * 1_024) / sentence.length))
  return JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], max_tokens: 200, stream: isStream })
}

/** Calls per second over some connections. Prepared bytes on raw sockets, so that the servers are what is measured. */
export async function measureRate(
  { port, path, headers }: Target,
  kind: Kind,
  calls: number,
  connections = 16,
): Promise<number> {
  const body = writeCall(kind)
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  const each = Math.ceil(calls / connections)
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: connections }, () => drive(port, bytes, each)))
  return (each * connections) / ((performance.now() - startedAt) / 1_000)
}

function drive(port: number, bytes: Buffer, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let left = count
    let seen = ''
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => {
      seen += piece
      const end = seen.indexOf('\r\n\r\n')
      if (end < 0) return
      if (!seen.startsWith('HTTP/1.1 200')) return reject(new Error(`unexpected answer: ${seen.slice(0, 600)}`))
      const size = /content-length: (\d+)/i.exec(seen.slice(0, end))?.[1]
      const isWhole = size === undefined ? seen.endsWith('\r\n0\r\n\r\n') : seen.length >= end + 4 + Number(size)
      if (!isWhole) return
      seen = ''
      left -= 1
      if (left > 0) return socket.write(bytes)
      socket.end()
      resolve()
    })
    socket.on('error', reject)
  })
}

/** Milliseconds of calls one after the other: to the first byte of a stream, or to the end of a document. */
export async function measureTimes(target: Target, isStream: boolean, count: number): Promise<number[]> {
  const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  for (let at = 0; at < count; at++) times.push(await timeCall(agent, target, isStream))
  agent.destroy()
  return times.slice(Math.floor(count / 10))
}

function timeCall(agent: HttpAgent, { port, path, headers }: Target, isStream: boolean): Promise<number> {
  const options = { agent, port, method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' } }
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const sent = httpRequest(options, (response) => {
      let first: number | undefined
      response.on('data', () => {
        first ??= performance.now() - startedAt
      })
      response.on('end', () => resolve(isStream ? (first ?? 0) : performance.now() - startedAt))
    })
    sent.on('error', reject)
    sent.end(writeCall({ isStream }))
  })
}
