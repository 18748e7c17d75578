import { type IncomingMessage, request as openRequest, type RequestOptions, type ServerResponse } from 'node:http'
import { type Duplex, pipeline, type Transform } from 'node:stream'
import { filterHeaders, type RawHeaders, valuesOf } from './raw-headers.ts'

export interface Onward {
  /** How the next hop is reached. */
  readonly via: Pick<RequestOptions, 'host' | 'port' | 'agent' | 'createConnection'>
  readonly path: string
  readonly rawHeaders: RawHeaders
  readonly requestBody?: Transform
  readonly responseBody?: Transform
  readonly responseHeaders?: (headers: RawHeaders) => RawHeaders
}

/**
 * Passes one request on and its answer back, chunk by chunk in both directions. Rejects only while nothing was
 * answered yet; a connection that breaks later breaks for both sides.
 */
export function relayRequest(request: IncomingMessage, response: ServerResponse, onward: Onward): Promise<void> {
  const { via, path, requestBody, responseBody, responseHeaders = (headers) => headers } = onward
  const headers = [...frameBody(request, onward)]
  const outgoing = openRequest({ ...via, method: request.method, path, headers, setHost: false })
  return new Promise((resolve, reject) => {
    let answered = false
    const abandon = () => outgoing.destroy()
    response.once('close', abandon)
    outgoing.once('error', (error) => {
      response.off('close', abandon)
      if (answered) resolve()
      else reject(error)
    })
    outgoing.once('response', (answer) => {
      answered = true
      // Whoever connects here speaks plain HTTP; an answer that switches protocols has no place in it.
      response.sendDate = false
      const received = responseHeaders(answer.rawHeaders)
      const dropLength = responseBody !== undefined
      const kept = filterHeaders(received, (name) => !isHopHeader(name) && !(dropLength && name === 'content-length'))
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, kept)
      response.flushHeaders()
      const done = () => {
        response.off('close', abandon)
        resolve()
      }
      if (responseBody) pipeline(answer, responseBody, response, done)
      else pipeline(answer, response, done)
    })
    // An answer may come before the whole request was read (a refused upload): the request must outlive that.
    const body = request.iterator({ destroyOnReturn: false })
    const sent = (error: NodeJS.ErrnoException | null | undefined) => {
      if (error && !answered) outgoing.destroy(error)
    }
    if (requestBody) pipeline(body, requestBody, outgoing, sent)
    else pipeline(body, outgoing, sent)
  })
}

/**
 * Passes an upgrade on. Bytes flow freely only once the other side has agreed to it; until then it is one request, without
 * a body: what announces one is not passed on, since nothing would be sent for it and whatever follows would be taken
 * for it. For the same reason the connection is never one that others use.
 */
export function relayUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, onward: Onward): Promise<void> {
  const { via, path, rawHeaders } = onward
  const upgrade = valuesOf(request.rawHeaders, 'upgrade')[0] ?? ''
  const own = filterHeaders(rawHeaders, (name) => !isHopHeader(name) && !isFraming(name))
  const headers = [...own, 'Connection', 'Upgrade', 'Upgrade', upgrade]
  const outgoing = openRequest({ ...via, agent: false, method: 'GET', path, headers, setHost: false })
  return new Promise((resolve, reject) => {
    let answered = false
    const abandon = () => outgoing.destroy()
    socket.once('close', abandon)
    outgoing.once('error', (error) => {
      if (answered) resolve()
      else reject(error)
    })
    outgoing.once('upgrade', (answer, upstream, upstreamHead) => {
      answered = true
      socket.off('close', abandon)
      socket.write(
        writeHead(
          answer,
          filterHeaders(answer.rawHeaders, (name) => !isFraming(name)),
        ),
      )
      if (upstreamHead.length > 0) socket.write(upstreamHead)
      if (head.length > 0) upstream.write(head)
      joinStreams(socket, upstream, () => resolve())
    })
    outgoing.once('response', (answer) => {
      answered = true
      const kept = filterHeaders(answer.rawHeaders, (name) => !isHopHeader(name))
      socket.write(writeHead(answer, [...kept, 'Connection', 'close']))
      pipeline(answer, socket, () => {
        socket.destroy()
        resolve()
      })
    })
    outgoing.end()
  })
}

/** Two ends become one connection: what one side ends or breaks, ends or breaks for the other. */
export function joinStreams(one: Duplex, other: Duplex, onEnd: (error: Error | undefined) => void): void {
  let open = 2
  let failure: Error | undefined
  const end = (error: Error | null | undefined) => {
    failure ??= error ?? undefined
    open -= 1
    if (open === 0) onEnd(failure)
  }
  pipeline(one, other, end)
  pipeline(other, one, end)
}

function frameBody(request: IncomingMessage, { rawHeaders, requestBody }: Onward): RawHeaders {
  const isChunked = request.headers['transfer-encoding'] !== undefined
  const hasBody = isChunked || request.headers['content-length'] !== undefined
  const dropLength = requestBody !== undefined || isChunked
  const kept = filterHeaders(
    rawHeaders,
    (name) => name !== 'transfer-encoding' && !(dropLength && name === 'content-length'),
  )
  return hasBody && dropLength ? [...kept, 'Transfer-Encoding', 'chunked'] : kept
}

const isFraming = (name: string) => name === 'content-length' || name === 'transfer-encoding'

function isHopHeader(name: string): boolean {
  return ['connection', 'keep-alive', 'transfer-encoding', 'proxy-authenticate', 'upgrade', 'trailer'].includes(name)
}

function writeHead({ statusCode, statusMessage }: IncomingMessage, headers: RawHeaders): string {
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1] ?? ''}\r\n`] : []))
  return `HTTP/1.1 ${statusCode ?? 502} ${statusMessage ?? ''}\r\n${lines.join('')}\r\n`
}
