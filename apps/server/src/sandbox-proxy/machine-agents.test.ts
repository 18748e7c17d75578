import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMachineAgents } from './machine-agents.ts'

const answers: ServerResponse[] = []
const server = createServer((_incoming, outgoing) => {
  outgoing.write('begun ')
  answers.push(outgoing)
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.closeAllConnections())

test('a pool that gives way to newer ones lets what it carries come to its end, and then closes', async () => {
  const agents = createMachineAgents(async () => connect(port, '127.0.0.1'), 1)
  const asked = request({ agent: agents.agentFor('sb000000000000000001', 3000), path: '/' })
  const answered = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).once('error', reject).end()
  })
  const { socket } = answered
  agents.agentFor('sb000000000000000002', 3000)
  answers[0]?.end('and done')
  let text = ''
  for await (const chunk of answered) text += chunk
  expect(text).toBe('begun and done')
  await expect.poll(() => socket.destroyed).toBe(true)
  agents.stop()
})
