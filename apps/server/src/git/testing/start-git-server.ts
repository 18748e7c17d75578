import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  GitError,
  isGitService,
  type ReceiveRequest,
  type ReceiveResult,
  type Repository,
  sendGitReply,
  serveInfoRefs,
  serveReceivePack,
  serveUploadPack,
} from '../index.ts'

export type ReceiveOptions = Partial<Omit<ReceiveRequest, 'body' | 'contentEncoding'>>

export interface GitServer {
  readonly url: string
  readonly port: number
  receive: ReceiveOptions
  /** The result of every push so far, in order of their end. */
  readonly pushes: ReceiveResult[]
  /** Content-Encoding of the requests seen. */
  readonly encodings: (string | undefined)[]
  close(): Promise<void>
}

/** The smallest HTTP server around the git layer: what the platform's routes will do, without anyone's permission. */
export async function startGitServer(
  repository: Repository,
  options: { tls?: { key: Buffer; cert: Buffer }; password?: string } = {},
): Promise<GitServer> {
  const pushes: ReceiveResult[] = []
  const encodings: (string | undefined)[] = []
  const state: { receive: ReceiveOptions } = { receive: {} }
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const wanted = `Basic ${Buffer.from(`x-access-token:${options.password}`).toString('base64')}`
    if (options.password && request.headers.authorization !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="svc"' }).end()
      return
    }
    answer(repository, request, response, { state, pushes, encodings }).catch((error: unknown) => {
      if (!response.headersSent) response.statusCode = GitError.isInstance(error, 'repository_not_found') ? 404 : 500
      response.destroy()
    })
  }
  const server = options.tls ? createTlsServer(options.tls, onRequest) : createServer(onRequest)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `${options.tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}/repo.git`,
    port,
    pushes,
    encodings,
    get receive() {
      return state.receive
    },
    set receive(options) {
      state.receive = options
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  repository: Repository,
  request: IncomingMessage,
  response: ServerResponse,
  seen: { state: { receive: ReceiveOptions }; pushes: ReceiveResult[]; encodings: (string | undefined)[] },
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const protocol = request.headers['git-protocol']
  const gitProtocol = typeof protocol === 'string' ? protocol : undefined
  const contentEncoding = request.headers['content-encoding']
  if (request.method === 'GET' && url.pathname === '/repo.git/info/refs') {
    const service = url.searchParams.get('service')
    if (!isGitService(service)) return void response.writeHead(403).end()
    return sendGitReply(await serveInfoRefs(repository, { service, gitProtocol }), response)
  }
  if (request.method !== 'POST') return void response.writeHead(404).end()
  seen.encodings.push(contentEncoding)
  if (url.pathname === '/repo.git/git-upload-pack') {
    return sendGitReply(await serveUploadPack(repository, { body: request, contentEncoding, gitProtocol }), response)
  }
  if (url.pathname !== '/repo.git/git-receive-pack') return void response.writeHead(404).end()
  const policy = { authorizeUpdates: async () => undefined, ...seen.state.receive }
  const reply = await serveReceivePack(repository, { body: request, contentEncoding, gitProtocol, ...policy })
  void reply.done.then((result) => seen.pushes.push(result))
  await sendGitReply(reply, response)
}
