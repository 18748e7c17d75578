import { Socket } from 'node:net'
import { baseEnvironment, readSystemBundle } from '../environment/base-environment.ts'
import { startWaiting, type WaitingRuntime } from '../runtime/waiting-runtime.ts'
import type { Settings } from '../settings.ts'
import { type BootConfig, readBootConfig, readWarmRuntime } from './boot-config.ts'
import { writeFiles } from './write-files.ts'

/** What a machine of the warm pool becomes the day somebody owns it. */
export interface Claim {
  readonly boot: BootConfig
  readonly waiting: WaitingRuntime | undefined
}

/**
 * The other end of the pipe is the platform. Its first line says which runtime to start, its second, much later, is the
 * owner's boot configuration; in between the daemon answers with one line of its own when everything runs. Undefined
 * when the platform is gone: then there is nothing to wait for.
 */
export async function waitForOwner(settings: Settings, fd: number): Promise<Claim | undefined> {
  const pipe = new Socket({ fd, readable: true, writable: true })
  // A broken pipe ends the lines as well.
  pipe.on('error', () => undefined)
  const lines = readLines(pipe)
  const first = await lines.next()
  if (first.done) return undefined
  const waiting = await startRuntime(settings, first.value)
  readSystemBundle()
  pipe.write('warm\n')
  const second = await Promise.race([
    lines.next(),
    ...(waiting ? [waiting.ended.then((reason) => Promise.reject(new Error(reason)))] : []),
  ])
  pipe.destroy()
  if (second.done) return undefined
  return { boot: readBootConfig(second.value), waiting }
}

/** Ends of lines are nothing but line feeds: a text in the configuration may hold whatever else counts as one. */
async function* readLines(pipe: Socket): AsyncGenerator<string> {
  let pieces: Buffer[] = []
  for await (const chunk of pipe) {
    let rest: Buffer = chunk
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
      yield Buffer.concat([...pieces, rest.subarray(0, end)]).toString('utf8')
      pieces = []
      rest = rest.subarray(end + 1)
    }
    pieces.push(rest)
  }
}

async function startRuntime(settings: Settings, text: string): Promise<WaitingRuntime | undefined> {
  const warm = readWarmRuntime(text)
  if (!warm) return undefined
  writeFiles(warm.files)
  return startWaiting(warm, settings.workspace, baseEnvironment(settings, process.env))
}
