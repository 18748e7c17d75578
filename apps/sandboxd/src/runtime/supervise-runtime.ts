import { type ChildProcess, spawn } from 'node:child_process'
import type { RuntimeProcess } from '../boot/boot-config.ts'
import { createLineTail, type LineTail } from './line-tail.ts'
import type { WaitingRuntime } from './waiting-runtime.ts'

export interface Runtime {
  readonly kind: string
  readonly port: number
  readonly state: 'starting' | 'ok' | 'down'
  readonly pid: number | undefined
  /** Why it will not come back by itself; undefined while it may. */
  readonly fault: string | undefined
  start(): void
  /** Ends it and starts it again with the environment as it is now; resolves when it answers or has failed. */
  restart(): Promise<'ok' | 'down'>
  /** Asks it to end, and after `graceMs` makes it. Its whole process group goes. */
  stop(graceMs: number): Promise<void>
}

export interface RuntimeOptions {
  readonly process: RuntimeProcess
  readonly cwd: string
  readonly readyTimeoutMs: number
  /** Waits before each restart; after the last one it stays down. Ten quiet minutes begin the list anew. */
  readonly backoffMs: readonly number[]
  /** One that runs already and takes the place of the first start, if it fits. */
  readonly waiting?: WaitingRuntime | undefined
  environment(): Record<string, string>
  onChange(label: string): void
}

const quietMs = 600_000

/** Starts the runtime, knows whether it answers, and brings it back when it dies, a bounded number of times. */
export function superviseRuntime(options: RuntimeOptions): Runtime {
  let state: Runtime['state'] = 'starting'
  let fault: string | undefined
  let child: ChildProcess | undefined
  let restarts = 0
  let isStopping = false
  let waiting: NodeJS.Timeout | undefined
  let settled: ((state: 'ok' | 'down') => void)[] = []

  const become = (next: Runtime['state'], label: string) => {
    state = next
    options.onChange(label)
    if (next === 'starting') return
    for (const tell of settled) tell(next)
    settled = []
  }

  const launch = () => {
    waiting = undefined
    const [command = '', ...args] = options.process.argv
    become('starting', 'runtime_spawned')
    // A group of its own, so that what it started goes with it.
    const running = spawn(command, args, {
      cwd: options.cwd,
      env: environmentOf(),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const tail = createLineTail((line) => {
      if (line.includes(options.process.readyLine)) ready()
    })
    running.stdout.on('data', tail.push)
    running.stderr.on('data', tail.push)
    const ready = watch(running, tail)
  }

  /** Tells a runtime that waited whose it is now. One that does not take it is ended, and a new one starts. */
  const takeOver = (waited: WaitingRuntime) => {
    become('starting', 'runtime_adopted')
    const ready = watch(waited.child, waited.tail)
    // Neither looks at what the other does; the runtime looks at both with its first request.
    Promise.all([settleWorkspace(), waited.takeEnvironment(environmentOf())]).then(ready, (error: unknown) => {
      console.error('sandboxd: the waiting runtime did not take the session over:', String(error))
      killGroup(waited.child, 'SIGKILL')
    })
  }

  const environmentOf = () => ({ ...options.environment(), ...options.process.env })

  const settleWorkspace = () =>
    new Promise<void>((resolve, reject) => {
      const [command = '', ...args] = options.process.settle ?? []
      const child = spawn(command, args, { cwd: options.cwd, env: environmentOf(), stdio: 'ignore' })
      child.once('error', reject)
      child.once('close', () => resolve())
    })

  /** Follows one process from its start to its end; whoever knows that it is ready says so with the answer. */
  const watch = (running: ChildProcess, tail: LineTail) => {
    const startedAtMs = Date.now()
    child = running
    const late = setTimeout(() => {
      tail.push(Buffer.from(`\nnot ready after ${options.readyTimeoutMs} ms\n`))
      killGroup(running, 'SIGKILL')
    }, options.readyTimeoutMs)
    const ended = (reason: string) => {
      if (child !== running) return
      clearTimeout(late)
      child = undefined
      killGroup(running, 'SIGKILL')
      if (Date.now() - startedAtMs > quietMs) restarts = 0
      afterEnd(`${reason}${describeTail(tail.text())}`)
    }
    running.once('error', (error) => ended(`The runtime did not start: ${error.message}.`))
    running.once('close', (code, signal) => ended(`The runtime ended (${signal ?? `exit code ${code}`}).`))
    return () => {
      if (state !== 'starting' || child !== running) return
      clearTimeout(late)
      fault = undefined
      become('ok', 'runtime_ready')
    }
  }

  const start = () => {
    const waited = options.waiting
    if (!waited || waited.child.exitCode !== null || waited.child.signalCode !== null) return launch()
    if (waited.fits(options.process)) return takeOver(waited)
    void waited.end().then(launch)
  }

  const afterEnd = (reason: string) => {
    const delayMs = options.backoffMs[restarts]
    if (isStopping || delayMs === undefined) {
      if (!isStopping) fault = reason
      become('down', isStopping ? 'runtime_stopped' : 'runtime_gave_up')
      return
    }
    restarts += 1
    state = 'down'
    options.onChange('runtime_ended')
    console.error(`sandboxd: ${reason} Starting it again in ${delayMs} ms.`)
    waiting = setTimeout(launch, delayMs)
  }

  const stop = async (graceMs: number) => {
    isStopping = true
    clearTimeout(waiting)
    const running = child
    if (!running) return
    const ended = new Promise<void>((resolve) => running.once('close', () => resolve()))
    killGroup(running, 'SIGTERM')
    const timer = setTimeout(() => killGroup(running, 'SIGKILL'), graceMs)
    await ended
    clearTimeout(timer)
  }

  return {
    kind: options.process.kind,
    port: options.process.port,
    get state() {
      return state
    },
    get pid() {
      return child?.pid
    },
    get fault() {
      return fault
    },
    start,
    async restart() {
      await stop(2_000)
      isStopping = false
      restarts = 0
      fault = undefined
      const answered = new Promise<'ok' | 'down'>((resolve) => settled.push(resolve))
      launch()
      return answered
    },
    stop,
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    // ESRCH: the group is empty, which is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const describeTail = (tail: string) => (tail.trim() === '' ? '' : ` Its last words: ${tail.trim().slice(-2_000)}`)
