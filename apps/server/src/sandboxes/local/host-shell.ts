import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { quoteShell } from './quote-shell.ts'
import { type ProgramResult, runProgram } from './run-program.ts'

/**
 * A shell of the host that is kept for short scripts: starting one from a process as large as the platform takes the
 * kernel longer than most scripts run, and the platform stands still meanwhile.
 */
export interface HostShell {
  /** Has it ready for the first script. */
  open(): void
  /** Runs lines one after the other up to the first that fails; scripts of several callers run side by side. Never rejects. */
  run(lines: readonly string[]): Promise<ProgramResult>
  stop(): Promise<void>
}

const timeoutMs = 120_000
const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

export function createHostShell(): HostShell {
  const waiting = new Map<string, (result: ProgramResult) => void>()
  let child: ChildProcess | undefined

  const open = () => {
    if (child) return
    const opened = spawn('sh', [], { cwd: '/', env, stdio: ['pipe', 'pipe', 'ignore'] })
    child = opened
    createInterface({ input: opened.stdout }).on('line', (line) => {
      const [mark = '', code = '', ...words] = line.split(' ')
      waiting.get(mark)?.({ code: Number(code), output: words.join(' ') })
      waiting.delete(mark)
    })
    const lose = () => {
      if (child === opened) child = undefined
      for (const tell of waiting.values()) tell({ code: null, output: 'the shell of the host has ended' })
      waiting.clear()
    }
    opened.once('error', lose).once('close', lose)
    // It ended before it listened: its end tells those who wait.
    opened.stdin.on('error', () => undefined)
  }

  return {
    open,
    run(lines) {
      const script = ['set -e', ...lines].join('\n')
      if (!child) return runProgram('sh', ['-c', script], { timeoutMs })
      const mark = randomBytes(12).toString('hex')
      const command = `timeout -s KILL ${timeoutMs / 1000} sh -c ${quoteShell(script)} 2>&1 </dev/null`
      const tell = `printf '%s %s %s\\n' ${mark} "$code" "$(printf %s "$said" | tail -c 2000 | tr '\\n' ' ')"`
      const { stdin } = child
      return new Promise((resolve) => {
        waiting.set(mark, resolve)
        stdin?.write(
          `(code=0; said=$(${command}) || code=$?\nif [ "$code" = 0 ]; then echo ${mark} 0; else ${tell}; fi) &\n`,
        )
      })
    },
    async stop() {
      const stopped = child
      if (!stopped) return
      const ended = new Promise((resolve) => stopped.once('close', resolve))
      stopped.stdin?.end()
      await ended
    },
  }
}
