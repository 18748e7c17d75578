import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { readBody } from './read-body.ts'

test('a body that stops half-way is refused when its time is over, and one that arrives is not', async () => {
  const server = createServer((incoming, response) => {
    readBody(incoming, 1000, incoming.url === '/patient' ? 60_000 : 200).then(
      (body) => response.end(body),
      (error: { status: number }) => response.writeHead(error.status).end(),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const send = async (finish: boolean) => {
    const sending = request({ port, method: 'POST', path: finish ? '/patient' : '/', headers: { 'content-length': 6 } })
    sending.on('error', () => undefined)
    sending.write('abc')
    if (finish) setTimeout(() => sending.end('def'), 50)
    const [response] = await once(sending, 'response')
    sending.destroy()
    return response.statusCode
  }
  expect([await send(true), await send(false)]).toEqual([200, 408])
  server.closeAllConnections()
  server.close()
})
