import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as the platform saw it. */
export interface PlatformRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** An event as it is stored: its number is its place, counted from one. */
export interface LoggedEvent {
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
}

type Reply = { readonly status?: number; readonly json?: unknown; readonly text?: string; readonly type?: string }
/** A test's own answer, asked first; undefined leaves the request to the platform. */
export type Override = (request: PlatformRequest) => Reply | undefined

/**
 * For tests: the routes of a session, its log and its sandbox over real HTTP, with the log served in ragged pieces,
 * cut at random, delayed and repeated.
 */
export async function startFakePlatform(random: () => number = () => 1) {
  const seen: PlatformRequest[] = []
  const log: LoggedEvent[] = []
  const readers = new Set<() => void>()
  const files = new Map<string, Buffer>()
  const uploads = new Map<string, Buffer>()
  const state = {
    override: undefined as Override | undefined,
    start: {
      stage: 'ready',
      retriable: true,
      sandbox: { external_id: 'sb1' },
      opencode_session_id: 'ses_1',
    } as unknown,
    session: { agent_name: 'build', metadata: { opencode_model: 'gw/a/b' } },
    messages: [] as unknown[],
    turns: [] as unknown[],
    prompts: [] as unknown[],
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://h')
    const record: PlatformRequest = {
      method: request.method ?? '',
      path: pathname.replace('/v1/', ''),
      query: searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks),
    }
    seen.push(record)
    const own = state.override?.(record)
    if (own) return answer(response, own)
    if (/\/events$|\/global\/event$/.test(pathname)) return serveLog(record, response)
    return answer(response, route(record))
  })

  function route({ method, path, query, body }: PlatformRequest): Reply {
    const [area, rest = ''] = path.split(/^(?:projects\/p1\/sessions\/s1|p\/sb1\/8000)\/?/)
    const inSandbox = path.startsWith('p/sb1/8000')
    if (path === 'p/config') return { json: { preview_url_template: null } }
    if (area !== '') return { status: 404, json: { error: 'no such route', code: 'not_found' } }
    if (inSandbox) return serveSandbox(method, rest, query, body)
    const answers: Record<string, unknown> = {
      '': state.session,
      start: state.start,
      messages: { seq: log.length, messages: state.messages },
      turn: { turns: state.turns },
      prompts: method === 'POST' ? { prompt_id: 'x', state: 'queued' } : { prompts: state.prompts },
    }
    return rest in answers ? { json: answers[rest] } : { json: { ok: true, route: rest } }
  }

  function serveSandbox(method: string, path: string, query: URLSearchParams, body: Buffer): Reply {
    if (path === 'svc/health') return { json: { runtimeReady: true } }
    const upload = /^file\/upload\/([\w-]+)(\/complete)?$/.exec(path)
    if (upload) return serveUpload(method, upload[1] ?? '', upload[2] !== undefined, query, body)
    if (path === 'file/upload') return storeForm(body)
    if (path === 'file/raw') return serveRaw(query.get('path') ?? '')
    if (path === 'file/rename') {
      const { from, to } = JSON.parse(String(body))
      files.set(to, files.get(from) ?? Buffer.alloc(0))
      files.delete(from)
      return { json: true }
    }
    if (path === 'file' && method === 'DELETE') return { json: files.delete(JSON.parse(String(body)).path) }
    return { json: { route: `${method} ${path}`, body: String(body), query: String(query) } }
  }

  function serveUpload(method: string, id: string, isEnd: boolean, query: URLSearchParams, body: Buffer): Reply {
    if (method === 'DELETE') return { json: uploads.delete(id) }
    const held = uploads.get(id) ?? Buffer.alloc(0)
    if (isEnd) {
      const { path, filename, size, sha256 } = JSON.parse(String(body))
      if (held.length !== size) return { status: 409, json: { error: 'x', code: 'incomplete' } }
      if (digest(held) !== sha256) return { status: 422, json: { error: 'x', code: 'checksum_mismatch' } }
      files.set([path, filename].filter(Boolean).join('/'), held)
      return { json: [{ path: `/workspace/${[path, filename].filter(Boolean).join('/')}`, size }] }
    }
    const offset = Number(query.get('offset'))
    if (offset > held.length) {
      return { status: 409, json: { error: 'x', code: 'offset_mismatch', expected: held.length } }
    }
    const whole = Buffer.concat([held.subarray(0, offset), body])
    uploads.set(id, whole)
    return { json: { upload_id: id, received: whole.length } }
  }

  function storeForm(body: Buffer): Reply {
    const text = body.toString('latin1')
    const field = (name: string) => new RegExp(`name="${name}"\\r\\n\\r\\n([^\\r]*)`).exec(text)?.[1] ?? ''
    const [, content = ''] = /name="file"; filename="[^"]*"\r\n(?:[^\r]+\r\n)*\r\n([\s\S]*?)\r\n--/.exec(text) ?? []
    const path = [field('path'), field('filename')].filter(Boolean).join('/')
    files.set(path, Buffer.from(content, 'latin1'))
    return { json: [{ path: `/workspace/${path}`, size: content.length }] }
  }

  function serveRaw(path: string): Reply {
    const file = files.get(path)
    return file
      ? { text: file.toString('latin1'), type: 'application/octet-stream' }
      : { status: 404, json: { error: 'x' } }
  }

  /** Sends what comes after `Last-Event-ID`, sometimes a little more than asked for, until it is cut off. */
  function serveLog({ headers, query, path }: PlatformRequest, response: ServerResponse): void {
    const after = Number(headers['last-event-id'] ?? query.get('after') ?? 0)
    let next = Math.max(0, after - Math.floor((1 - random()) * 4))
    let left = random() < 0.8 ? Math.floor(random() * 60) : Number.POSITIVE_INFINITY
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': open\n\n')
    const push = (): void => {
      while (next < log.length && left-- > 0) {
        const event = log[next++]
        const data = path.endsWith('global/event') ? { payload: event } : { seq: next, ...event }
        const frame = Buffer.from(`id: ${next}\ndata: ${JSON.stringify(data)}\n\n`)
        const cut = Math.floor(random() * frame.length)
        response.write(frame.subarray(0, cut))
        response.write(frame.subarray(cut))
      }
      if (left <= 0) setTimeout(() => response.destroy(), Math.floor(random() * 8))
    }
    readers.add(push)
    response.on('close', () => readers.delete(push))
    push()
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    state,
    files,
    /** Appends to the session's log. */
    emit(type: string, properties: Readonly<Record<string, unknown>>) {
      log.push({ type, properties })
      for (const push of [...readers]) push()
    },
    log,
    readers,
    requests: (pattern: RegExp) => seen.filter(({ method, path }) => pattern.test(`${method} ${path}`)),
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

function answer(response: ServerResponse, { status = 200, json, text, type = 'application/json' }: Reply): void {
  response.writeHead(status, { 'content-type': type })
  response.end(text === undefined ? JSON.stringify(json) : Buffer.from(text, 'latin1'))
}
