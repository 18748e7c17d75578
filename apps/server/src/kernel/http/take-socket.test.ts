import { connect } from 'node:net'
import { operation, relayed } from '@svc/contract'
import { afterEach, expect, test } from 'vitest'
import { handle } from './handle.ts'
import { isUpgrade, takeSocket } from './take-socket.ts'
import { serveForTest } from './testing.ts'

type Server = Awaited<ReturnType<typeof serveForTest>>
let server: Server | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

const declared = { summary: 'For a test', audit: 'none', returns: relayed } as const
const open = operation({ ...declared, id: 'test.open', at: 'GET /v1/open', needs: 'public' })
const closed = operation({ ...declared, id: 'test.closed', at: 'GET /v1/closed', needs: 'signed-in' })

/** Everything the server sends until it ends the connection, or until `enough` says so. */
function speak(port: number, path: string, more: string, enough: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (enough(text)) socket.destroy()
    })
    socket.on('close', () => resolve(text))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n${more}`)
  })
}

test('an upgrade reaches its handler, which speaks with the caller from the first byte on', async () => {
  server = await serveForTest([
    handle(open, ({ request, outgoing }) => {
      expect(isUpgrade(request.incoming)).toBe(true)
      const socket = takeSocket(outgoing)
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
      socket.pipe(socket)
      return undefined
    }),
  ])
  const text = await speak(server.port, '/v1/open', 'early bytes', (seen) => seen.includes('early bytes'))
  expect(text).toMatch(/^HTTP\/1\.1 101 /)
  await expect.poll(() => server?.finished).toHaveLength(1)
})

test('an upgrade without a credential, or to nowhere, is refused like any request and the connection ends', async () => {
  server = await serveForTest([handle(closed, () => undefined)])
  const refused = await speak(server.port, '/v1/closed', '', () => false)
  expect(refused).toMatch(/^HTTP\/1\.1 401 /)
  expect(refused).toContain('"code":"unauthorized"')
  expect(await speak(server.port, '/v1/nowhere', '', () => false)).toMatch(/^HTTP\/1\.1 404 /)
  const write = await fetch(`${server.url}/v1/closed`, { method: 'POST', body: 'x' })
  expect(write.status).toBe(405)
})
