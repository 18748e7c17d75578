import { type ChildProcess, spawn } from 'node:child_process'
import { open, stat } from 'node:fs/promises'
import { type OnReadOpts, Socket } from 'node:net'
import { PortRefused } from '../port-refused.ts'
import { dialerProgram } from './dialer-program.ts'

export interface PortDialer {
  /** Undefined while the dialer is not up, and for good where it cannot be. Rejects where nothing listens. */
  dial(port: number, onread: OnReadOpts): Promise<Socket | undefined>
  /** Connections that were handed over stay. */
  close(): void
}

interface Asked {
  settle(answer: { readonly code: string } | { readonly handle: object }): void
}

const dialMs = 10_000

/**
 * A process of the host in the network of one machine, and in nothing else of it: it opens connections to loopback ports,
 * reads no byte of them and hands them over by descriptor. The guest can neither see nor signal it, and shares no
 * descriptor with it. It ends with this process, whose channel it watches.
 */
export function createPortDialer(initPid: () => number | undefined): PortDialer {
  const asked = new Map<unknown, Asked>()
  let lastId = 0
  let child: ChildProcess | undefined
  let isReady = false
  let isClosed = false

  // The machine has just ended, or its network is not for this process to enter: the way through the daemon stays.
  start().catch(giveUp)

  async function start(): Promise<void> {
    const network = await open(`/proc/${initPid()}/ns/net`)
    try {
      const [theirs, ours] = await Promise.all([network.stat(), stat('/proc/self/ns/net')])
      // From the host's own network every service of the host could be dialled.
      if (theirs.ino === ours.ino) return
      if (!isClosed) child = watch(spawnDialer(network.fd))
    } finally {
      // The child has its own copy.
      await network.close()
    }
  }

  function watch(started: ChildProcess): ChildProcess {
    started.on('message', (message, handle) => {
      if (message === 'ready') isReady = true
      else settle(message, handle)
    })
    started.on('error', giveUp)
    started.on('exit', giveUp)
    started.channel?.unref()
    started.unref()
    return started
  }

  function giveUp(): void {
    isReady = false
    for (const one of asked.values()) one.settle({ code: 'gone' })
    asked.clear()
  }

  function settle(message: unknown, handle: unknown): void {
    const { id, code } = readAnswer(message)
    const one = asked.get(id)
    asked.delete(id)
    if (typeof handle === 'object' && handle !== null) {
      if (one) one.settle({ handle })
      else adopt(handle).destroy()
    } else one?.settle({ code: String(code) })
  }

  return {
    dial(port, onread) {
      if (!isReady || !child) return Promise.resolve(undefined)
      const dialler = child
      lastId += 1
      const id = lastId
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          asked.delete(id)
          reject(new PortRefused(port, 'no answer'))
        }, dialMs)
        asked.set(id, {
          settle(answer) {
            clearTimeout(late)
            if ('handle' in answer) resolve(adopt(answer.handle, onread))
            else if (answer.code === 'gone') resolve(undefined)
            else reject(new PortRefused(port, answer.code))
          },
        })
        dialler.send({ id, port }, (error) => error && giveUp())
      })
    },
    close() {
      isClosed = true
      if (child?.connected) child.disconnect()
    },
  }
}

/** Node makes sockets of handles that came from another process, and reads them as told, but its types do not say so. */
const adopt = (handle: object, onread?: OnReadOpts): Socket => {
  const options = { handle, onread, readable: true, writable: true }
  return new Socket(options)
}

function readAnswer(message: unknown): { readonly id: unknown; readonly code: unknown } {
  const given = typeof message === 'object' && message !== null ? message : {}
  return { id: 'id' in given ? given.id : undefined, code: 'code' in given ? given.code : undefined }
}

const small = ['--max-old-space-size=16', '--max-semi-space-size=1']

const spawnDialer = (networkFd: number): ChildProcess =>
  spawn('nsenter', ['--net=/proc/self/fd/3', process.execPath, ...small, '--eval', dialerProgram], {
    env: { PATH: process.env.PATH ?? '', UV_THREADPOOL_SIZE: '1' },
    stdio: ['ignore', 'ignore', 'ignore', networkFd, 'ipc'],
    cwd: '/',
  })
