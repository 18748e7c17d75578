// A runtime for the tests: a real process that speaks HTTP, event streams and WebSockets, and can misbehave.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { WebSocketServer } from 'ws'

const port = Number(process.argv[2])
const state = { statuses: {}, messages: [], disposed: 0, aborted: [] }
if (process.argv.includes('--ignore-sigterm')) process.on('SIGTERM', () => console.log('not ending'))
if (process.argv.includes('--crash')) {
  console.error('cannot find my configuration')
  process.exit(3)
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://x')
  const sendJson = (body) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body))
  const query = url.searchParams
  if (url.pathname === '/event') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write('data: {"n":0}\n\n')
    server.once('next', () => response.write('data: {"n":1}\n\n'))
    return undefined
  }
  if (url.pathname === '/next') {
    server.emit('next')
    return sendJson(true)
  }
  if (url.pathname === '/bytes') return sendBytes(Number(query.get('count')), response)
  if (url.pathname === '/silent') return undefined
  if (url.pathname === '/crash') process.exit(1)
  if (url.pathname === '/flood') return flood(sendJson)
  if (url.pathname === '/shell') {
    return execFile('bash', ['-c', query.get('command') ?? ''], (error, stdout) =>
      sendJson({ stdout, failed: !!error }),
    )
  }
  if (url.pathname === '/state') Object.assign(state, JSON.parse(await readText(request)))
  if (url.pathname === '/global/dispose') state.disposed += 1
  if (url.pathname === '/session/status') return sendJson(state.statuses)
  if (url.pathname.endsWith('/message') && request.method === 'GET') return sendJson(state.messages)
  if (url.pathname.endsWith('/abort')) state.aborted.push(url.pathname)
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of request) {
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  const { method, headers } = request
  return sendJson({ method, url: request.url, headers, sizeBytes, sha256: hash.digest('hex'), env: process.env, state })
})
const sockets = new WebSocketServer({ server })
sockets.on('connection', (socket, request) => {
  socket.on('error', () => socket.terminate())
  socket.send(JSON.stringify({ url: request.url, headers: request.headers }))
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
})
server.listen(port, '127.0.0.1', () => console.log(`fake runtime listening on ${port}`))

async function readText(request) {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

function sendBytes(count, response) {
  const block = Buffer.alloc(65_536, 7)
  let left = count
  const source = new Readable({
    read() {
      const size = Math.min(left, block.length)
      left -= size
      this.push(size === 0 ? null : block.subarray(0, size))
    },
  })
  response.writeHead(200, { 'Content-Length': count })
  // A reader that goes away is no fault of a runtime.
  return pipeline(source, response).catch(() => response.destroy())
}

function flood(sendJson) {
  const line = `${'x'.repeat(1023)}\n`.repeat(64)
  let left = 1600
  const write = () => {
    while (left > 0) {
      left -= 1
      if (!process.stdout.write(line)) return process.stdout.once('drain', write)
    }
    return sendJson(true)
  }
  return write()
}
