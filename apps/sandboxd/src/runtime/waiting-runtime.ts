import { type ChildProcess, spawn } from 'node:child_process'
import type { RuntimeProcess, WarmRuntime } from '../boot/boot-config.ts'
import { createLineTail, type LineTail } from './line-tail.ts'

/** A runtime that runs and belongs to nobody yet. */
export interface WaitingRuntime {
  readonly child: ChildProcess
  /** The last of what it wrote. */
  readonly tail: LineTail
  /** Whether it can become this one. */
  fits(process: RuntimeProcess): boolean
  /** Hands the environment of its session over, once. Resolves when it has taken it. */
  takeEnvironment(env: Readonly<Record<string, string>>): Promise<void>
  /** Resolves with the reason when it has ended, which it never does by itself. */
  readonly ended: Promise<string>
  /** Ends it, and all it started; resolves when its port is free. */
  end(): Promise<void>
}

/** Resolves when it is ready and has loaded what sessions need. Rejects when it ends before. */
export async function startWaiting(
  warm: WarmRuntime,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<WaitingRuntime> {
  const [command = '', ...args] = warm.process.argv
  // The daemon's own descriptors beyond the usual three lead to the platform: the runtime gets something empty there.
  const child = spawn(command, args, {
    cwd,
    env: { ...env, ...warm.process.env },
    stdio: ['pipe', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore'],
    detached: true,
  })
  const heard = new Map<string, () => void>()
  const tail = createLineTail((line) => {
    for (const [words, tell] of heard) if (line.includes(words)) tell()
  })
  const hear = (words: string) => new Promise<void>((resolve) => heard.set(words, resolve))
  child.stdout?.on('data', tail.push)
  child.stderr?.on('data', tail.push)
  // It ended before it read: its end says why.
  child.stdin?.on('error', () => undefined)
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`The waiting runtime did not start: ${error.message}.`))
    child.once('close', (code, signal) => resolve(`The waiting runtime ended (${signal ?? `exit code ${code}`}).`))
  })
  const orEnd = (step: Promise<void>) => Promise.race([step, ended.then((reason) => Promise.reject(new Error(reason)))])

  await orEnd(hear(warm.process.readyLine))
  const isWarm = hear(warm.warmLine)
  await orEnd(askFor(warm))
  await orEnd(isWarm)
  return {
    child,
    tail,
    ended,
    fits: ({ kind, argv, port, settle }) =>
      settle !== undefined &&
      kind === warm.process.kind &&
      port === warm.process.port &&
      argv.join('\0') === warm.process.argv.join('\0'),
    takeEnvironment(next) {
      const taken = hear(warm.takenLine)
      child.stdin?.end(JSON.stringify(next))
      return orEnd(taken)
    },
    async end() {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        process.kill(-child.pid, 'SIGKILL')
      }
      await ended
    },
  }
}

async function askFor({ process: { port }, warmUpPath }: WarmRuntime): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${warmUpPath}`)
  await response.arrayBuffer()
}
