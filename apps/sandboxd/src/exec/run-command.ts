import { spawn } from 'node:child_process'

export interface CommandOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input?: string | undefined
  readonly timeoutMs: number
  /** Of each of stdout and stderr; what comes after is read and dropped. */
  readonly maxOutputBytes?: number
}

export interface CommandResult {
  readonly exitCode: number | undefined
  readonly signal: string | undefined
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
}

const defaultOutputBytes = 8 * 1024 * 1024
const running = new Set<() => void>()

/** Ends every command that still runs, for the end of the daemon. */
export function killCommands(): void {
  for (const kill of running) kill()
}

/**
 * Runs a program to its end, in a process group that is gone afterwards. Memory is bounded however much it writes, and
 * so is time: at the deadline the group is killed and the signal says so.
 */
export function runCommand(argv: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const [command = '', ...args] = argv
  const maxBytes = options.maxOutputBytes ?? defaultOutputBytes
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd, env: options.env, detached: true, stdio: 'pipe' })
    const stdout = createCollector(maxBytes)
    const stderr = createCollector(maxBytes)
    child.stdout.on('data', stdout.push)
    child.stderr.on('data', stderr.push)
    // A program that does not read its input ends the pipe; its exit says the rest.
    child.stdin.on('error', () => child.stdin.destroy())
    child.stdin.end(options.input ?? '')

    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
    running.add(kill)
    const timer = setTimeout(() => {
      kill()
      // Something outside the group may hold the pipes open; the deadline does not wait for it.
      child.stdout.destroy()
      child.stderr.destroy()
    }, options.timeoutMs)
    child.once('error', (error) => {
      clearTimeout(timer)
      running.delete(kill)
      reject(error)
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      running.delete(kill)
      kill()
      resolve({
        exitCode: code ?? undefined,
        signal: signal ?? undefined,
        stdout: stdout.text(),
        stderr: stderr.text(),
        truncated: stdout.isCut() || stderr.isCut(),
      })
    })
  })
}

function createCollector(maxBytes: number) {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  let cut = false
  return {
    push(chunk: Buffer) {
      const room = maxBytes - sizeBytes
      if (chunk.length > room) cut = true
      if (room <= 0) return
      const kept = chunk.subarray(0, room)
      chunks.push(kept)
      sizeBytes += kept.length
    },
    text: () => Buffer.concat(chunks, sizeBytes).toString('utf8'),
    isCut: () => cut,
  }
}
