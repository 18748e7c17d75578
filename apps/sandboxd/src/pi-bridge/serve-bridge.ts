import { createServer, type Server, type ServerResponse } from 'node:http'
import { Refusal, sendError, sendJson } from '../http/reply.ts'
import { findRoute } from '../http/route.ts'
import { Bridge } from './bridge.ts'
import { bridgeRoutes, fallback } from './routes.ts'
import type { BridgeSettings } from './settings.ts'

/** Serves the dialect of agent runtimes on loopback, with pi behind it. */
export async function serveBridge(settings: BridgeSettings): Promise<{ server: Server; stop(): Promise<void> }> {
  const bridge = new Bridge(settings)
  const routes = bridgeRoutes(bridge)
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    const run = async () => {
      const url = new URL(request.url ?? '/', 'http://runtime')
      const found = findRoute(routes, request.method ?? 'GET', url.pathname)
      const route = found?.route ?? fallback
      await route.handle({ request, response, url, params: found?.params ?? {}, context: undefined })
    }
    run().catch((error: unknown) => answerError(response, error))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port, '127.0.0.1', resolve)
  })
  return {
    server,
    stop: () =>
      new Promise<void>((resolve) => {
        for (const conversation of bridge.list()) conversation.stop()
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** Clients of a runtime read `name` and `data`; ours also read `code`. */
function answerError(response: ServerResponse, error: unknown): void {
  if (!(error instanceof Refusal) || 'name' in error.body || response.headersSent) {
    sendError(response, error)
    return
  }
  sendJson(response, error.status, { ...error.body, name: 'BadRequest', data: { message: error.message } })
}
