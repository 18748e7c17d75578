import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PortStream } from '../sandboxes/index.ts'
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

async function dial(): Promise<PortStream> {
  const stream = new PortStream()
  return stream.join(connect({ port, host: '127.0.0.1', onread: stream.onread }))
}

test('a kept connection serves its own port of its own machine, and no other', async () => {
  const dialled: string[] = []
  const agents = createMachineAgents(async (externalId, wanted) => {
    dialled.push(`${externalId}:${wanted}`)
    return dial()
  })
  const begin = async (externalId: string, wanted: number) => {
    const asked = request({ agent: agents.agentFor(externalId, wanted), path: '/' })
    await new Promise((resolve, reject) => asked.once('response', resolve).once('error', reject).end())
    return asked
  }
  agents.agentFor('sb000000000000000001', 3000).keep(await dial(), undefined)
  const begun = [await begin('sb000000000000000001', 3001), await begin('sb000000000000000002', 3000)]
  expect(dialled).toEqual(['sb000000000000000001:3001', 'sb000000000000000002:3000'])
  begun.push(await begin('sb000000000000000001', 3000))
  expect(dialled).toHaveLength(2)
  for (const one of begun) one.destroy()
  agents.stop()
})

test('what is kept ends with its pool, and so does what comes back later', async () => {
  const agents = createMachineAgents(dial)
  const agent = agents.agentFor('sb000000000000000001', 3000)
  const [early, late] = [await dial(), await dial()]
  agent.keep(early, undefined)
  agents.stop()
  agent.keep(late, undefined)
  expect([early.destroyed, late.destroyed]).toEqual([true, true])
})

test('a connection that is worth less than the next one would be is not kept', async () => {
  const served = createServer((_incoming, outgoing) => outgoing.end('small'))
  await new Promise<void>((resolve) => served.listen(0, '127.0.0.1', resolve))
  const { port: servedPort } = served.address() as AddressInfo
  let dialled = 0
  let keepMs = 0
  const agents = createMachineAgents(async () => {
    dialled += 1
    const stream = new PortStream()
    stream.keepFor(keepMs)
    return stream.join(connect({ port: servedPort, host: '127.0.0.1', onread: stream.onread }))
  })
  const read = async () => {
    const asked = request({ agent: agents.agentFor('sb000000000000000001', 3000), path: '/' })
    const answered = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve).once('error', reject).end()
    })
    const freed = new Promise((resolve) => asked.once('close', resolve))
    for await (const chunk of answered) expect(String(chunk)).toBe('small')
    await freed
  }
  for (let count = 1; count <= 3; count += 1) {
    await read()
    expect(dialled).toBe(count)
  }
  keepMs = 60_000
  for (let count = 1; count <= 3; count += 1) await read()
  expect(dialled).toBe(4)
  agents.stop()
  served.closeAllConnections()
  served.close()
})
