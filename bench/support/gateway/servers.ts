import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSocketServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

/** The servers of the gateway's benchmarks, each in a process of its own. They find each other by these variables. */

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'rain '.repeat(100) }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 200, completion_tokens: 100 },
})
const chunk = `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'rain ' } }] })}\n\n`
const lastChunk = `data: ${JSON.stringify({ id: '1', choices: [], usage: { prompt_tokens: 200, completion_tokens: 50 } })}\n\n`

const documentBytes = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`,
)
const streamPieces = [
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
  ...Array.from({ length: 20 }, () => writeChunk(chunk)),
  `${writeChunk(`${lastChunk}data: [DONE]\n\n`)}0\r\n\r\n`,
].map((piece) => Buffer.from(piece))

/**
 * A model that answers at once: what is measured is what lies before it. Prepared bytes on raw sockets, because every
 * side shares the two cores with it; the events of a stream are written one by one.
 */
export function startUpstream(): Promise<number> {
  return listenOn(
    createSocketServer((socket) => {
      let seen = ''
      socket.setNoDelay(true).setEncoding('latin1')
      socket.on('error', () => socket.destroy())
      socket.on('data', (piece: string) => {
        seen += piece
        const end = seen.indexOf('\r\n\r\n')
        if (end < 0) return
        const size = Number(/content-length: (\d+)/i.exec(seen.slice(0, end))?.[1] ?? 0)
        if (seen.length < end + 4 + size) return
        const isStream = seen.includes('"stream":true', end)
        seen = ''
        if (isStream) writePieces(socket, 0)
        else socket.write(documentBytes)
      })
    }),
  )
}

function writePieces(socket: Socket, at: number): void {
  const piece = streamPieces[at]
  if (!piece || socket.destroyed) return
  socket.write(piece)
  setImmediate(writePieces, socket, at + 1)
}

function writeChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

/** What passing a call on costs at the least: no key, no budget, no log. */
export function startBare(): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${process.env.SVC_BENCH_UPSTREAM}`, { connections: 64 })
  return listen(async (incoming, outgoing) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece)
    const { statusCode, headers, body } = await pool.request({
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(pieces),
    })
    outgoing.writeHead(statusCode, { ...headers, connection: 'keep-alive' })
    await pipeline(body, outgoing)
  })
}

export async function startPortkey(): Promise<number> {
  const script = join(process.env.SVC_BENCH_PEERS ?? '', 'node_modules/@portkey-ai/gateway/build/start-server.js')
  return startProgram((port) => [[script, `--port=${port}`, '--headless'], {}], '/')
}

/** The whole platform, built, on the database that the bench started. */
export async function startGateway(): Promise<number> {
  const directory = process.env.SVC_BENCH_DATA ?? ''
  const models = join(directory, 'models.json')
  await writeFile(
    models,
    JSON.stringify({
      providers: { bench: { base_url: `http://127.0.0.1:${process.env.SVC_BENCH_UPSTREAM}/v1` } },
      models: { m: { provider: 'bench', cost: { input: 1, output: 4 } } },
      local: false,
    }),
  )
  const script = process.env.SVC_BENCH_SERVER ?? 'apps/server/dist/main.mjs'
  const args = [...(process.env.SVC_BENCH_NODE_ARGS ?? '').split(' ').filter(Boolean), script]
  const env = { SVC_DATA_DIR: join(directory, 'data'), SVC_MODELS_FILE: models }
  return startProgram((port) => [args, { ...env, PORT: String(port) }], '/v1/health')
}

/** Where the process is known that a side runs, for whoever measures its memory. */
export function pidFile(side = process.env.SVC_BENCH_SIDE): string {
  return join(process.env.SVC_BENCH_DATA ?? '', `${side}.pid`)
}

type Describe = (port: number) => readonly [args: readonly string[], env: Record<string, string>]

/** Runs a server to the end of this process and waits until it answers. */
async function startProgram(describe: Describe, healthPath: string): Promise<number> {
  const port = await findFreePort()
  const [args, env] = describe(port)
  const stdio = process.env.SVC_BENCH_VERBOSE === '1' ? 'inherit' : 'ignore'
  const server = spawn(process.execPath, args, { stdio, env: { ...process.env, ...env, SVC_BENCH_SIDE: '' } })
  process.once('exit', () => server.kill())
  await writeFile(pidFile(), String(server.pid))
  for (;;) {
    if (server.exitCode !== null) throw new Error('a server of the bench did not start')
    const health = await fetch(`http://127.0.0.1:${port}${healthPath}`).catch(() => undefined)
    if (health && health.status < 500) return port
    await sleep(100)
  }
}

function listen(listener: RequestListener): Promise<number> {
  return listenOn(createServer(listener))
}

function listenOn(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
