import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Daemon } from '../daemon.ts'
import { refuse } from '../http/reply.ts'
import type { Call } from '../http/route.ts'
import { requestOutside } from './dial-egress.ts'
import { rewritePage, webProxyPath } from './rewrite-page.ts'

const timeoutMs = 30_000
const maxPageBytes = 10 * 1024 * 1024
const passedIn = ['accept', 'accept-language', 'user-agent', 'range', 'if-none-match', 'if-modified-since']
/** What would keep a page from being shown here, or act on an origin that is not its own. */
const notPassedOut =
  /^(content-security-policy.*|x-frame-options|set-cookie|strict-transport-security|connection|keep-alive|transfer-encoding|alt-svc|clear-site-data|cross-origin-.*)$/

/** `GET /web-proxy/{scheme}/{host}/{path}`: an outside page whose links come back here. */
export async function proxyWeb(daemon: Daemon, call: Call): Promise<void> {
  const url = readTarget(call)
  const prefix = readPrefix(call.request)
  const answer = await requestOutside(daemon.settings.runDir, {
    url,
    method: call.request.method ?? 'GET',
    headers: { ...pickHeaders(call.request), 'Accept-Encoding': 'identity' },
    timeoutMs,
  }).catch((error: unknown) => {
    throw refuse(
      502,
      'page_unreachable',
      `${url.host} could not be reached: ${error instanceof Error ? error.message : error}.`,
    )
  })
  const headers = readHeaders(answer, url, prefix)
  const kind = /^text\/(html|css)/i.exec(answer.headers['content-type'] ?? '')?.[1]?.toLowerCase()
  if (!kind || answer.headers['content-encoding'] || call.request.method === 'HEAD') {
    call.response.writeHead(answer.statusCode ?? 502, headers)
    await pipeline(answer, call.response)
    return
  }
  const page = rewritePage(await readPage(answer), { url, prefix, kind })
  const { 'content-length': _length, ...rest } = headers
  call.response.writeHead(answer.statusCode ?? 502, { ...rest, 'content-length': Buffer.byteLength(page) })
  call.response.end(page)
}

function readTarget({ url, params }: Call): URL {
  const { scheme, host } = params
  const rest = url.pathname.split('/').slice(4).join('/')
  if (scheme !== 'http' && scheme !== 'https')
    throw refuse(400, 'bad_request', 'Only http and https pages can be shown.')
  if (!host || !/^[a-z0-9.-]+(:\d{1,5})?$/i.test(host))
    throw refuse(400, 'bad_request', 'This host name cannot be read.')
  return new URL(`${scheme}://${host}/${rest}${url.search}`)
}

/** Where this daemon is seen from outside, as the platform's proxy says. */
function readPrefix(request: IncomingMessage): string {
  const prefix = request.headers['x-forwarded-prefix']
  return typeof prefix === 'string' && /^\/[\w./-]*$/.test(prefix) ? prefix.replace(/\/$/, '') : ''
}

const pickHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(passedIn.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])))

function readHeaders(answer: IncomingMessage, url: URL, prefix: string): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined && !notPassedOut.test(name)) headers[name] = value
  }
  if (answer.headers.location) headers.location = webProxyPath(answer.headers.location, { url, prefix })
  return headers
}

async function readPage(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > maxPageBytes) throw refuse(502, 'page_too_large', `This page has more than ${maxPageBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
