import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PortRefused } from '../port-refused.ts'
import { PortStream } from '../port-stream.ts'
import { createPortDialer, type PortDialer } from './port-dialer.ts'

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'

/** Programs in a network of their own, on loopback ports that nothing on this host has. */
const inside = `
const { createServer } = require('node:net')
const greet = (socket) => socket.once('data', (chunk) => socket.end('heard ' + chunk))
createServer(greet).listen(47001, '127.0.0.1', () => createServer(greet).listen(47002, '::1', () => console.log(process.pid)))
`

describe.skipIf(!isRoot)('a connection that was made in the network of a machine', () => {
  let machine: ChildProcess
  let dialer: PortDialer
  beforeAll(async () => {
    const apart = ['--unshare-net', '--die-with-parent', '--dev-bind', '/', '/']
    machine = spawn('bwrap', [...apart, process.execPath, '--eval', inside], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [pid] = machine.stdout ? await once(machine.stdout, 'data') : []
    dialer = createPortDialer(() => Number(pid))
  })
  afterAll(() => {
    dialer.close()
    machine.kill('SIGKILL')
  })

  async function dial(port: number): Promise<PortStream | undefined> {
    const stream = new PortStream()
    const socket = await dialer.dial(port, stream.onread)
    return socket && stream.join(socket)
  }

  test('reaches what listens there, on IPv4 or on IPv6 alone, and says where nothing does', async () => {
    // Until the dialer is up there is the daemon's way.
    await expect.poll(() => dial(47_001)).toBeDefined()
    for (const port of [47_001, 47_002]) {
      const stream = await dial(port)
      stream?.write(`port ${port}`)
      expect(stream && (await text(stream))).toBe(`heard port ${port}`)
    }
    await expect(dial(47_003)).rejects.toThrow(PortRefused)
  })

  test('lives on when its dialer has gone', async () => {
    const stream = await dial(47_001)
    dialer.close()
    await expect.poll(() => dial(47_001)).toBeUndefined()
    stream?.write('still here')
    expect(stream && (await text(stream))).toBe('heard still here')
  })
})

test('nothing is dialled in the network of the host itself, nor without a machine', async () => {
  const own = createServer((socket) => socket.end('the host'))
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve))
  const { port } = own.address() as AddressInfo
  for (const pid of [process.pid, undefined]) {
    const dialer = createPortDialer(() => pid)
    // Long enough for a process to come up, were there one.
    for (let count = 0; count < 8; count += 1) {
      await promisify(execFile)(process.execPath, ['--version'])
      expect(await dialer.dial(port, new PortStream().onread)).toBeUndefined()
    }
    dialer.close()
  }
  own.close()
})
