import { createServer, type ServerResponse } from 'node:http'

/** A place that serves a model catalog, or whatever a test makes of it. */
export async function startFakeCatalog() {
  let answer: (outgoing: ServerResponse) => void = (outgoing) => void outgoing.writeHead(404).end()
  const server = createServer((_incoming, outgoing) => answer(outgoing))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/api.json`,
    answerWith(next: typeof answer) {
      answer = next
    },
    serve(document: unknown) {
      answer = (outgoing) => {
        outgoing.setHeader('content-type', 'application/json')
        outgoing.end(typeof document === 'string' ? document : JSON.stringify(document))
      }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
