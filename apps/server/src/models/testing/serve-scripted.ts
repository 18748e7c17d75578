import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ChatCompletionInput } from '@svc/contract'
import type { ChatRequest } from '../scripted/chat-request.ts'
import { answerScripted } from '../scripted/index.ts'

/** The scripted model alone on a loopback port, for tests of programs that speak to a model. */
export async function serveScripted() {
  const requests: ChatRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    try {
      const bytes = await Readable.from(incoming).toArray()
      const request = parse(Buffer.concat(bytes).toString('utf8'))
      requests.push(request)
      const gone = new AbortController()
      outgoing.once('close', () => gone.abort())
      const { body, status = 200, headers } = await answerScripted(request, gone.signal)
      outgoing.writeHead(status, headers)
      if (typeof body === 'string') outgoing.end(body)
      else await pipeline(Readable.from(body), outgoing)
    } catch {
      // A reader that leaves early is part of many tests; nobody is left to tell.
      outgoing.destroy()
    }
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1/llm`,
    requests,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function parse(text: string): ChatRequest {
  return ChatCompletionInput.parse(JSON.parse(text))
}
