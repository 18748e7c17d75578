import { randomBytes } from 'node:crypto'
import { Duplex } from 'node:stream'
import type { ExecRequest, ExecResult } from '../provider.ts'
import { quoteShell } from './quote-shell.ts'

/** Descriptors of the shell that takes commands until the daemon serves. */
export const shellDescriptors = { commands: 6, stdout: 7, stderr: 8 } as const
const { commands, stdout, stderr } = shellDescriptors

/**
 * Becomes the daemon, and leaves a shell beside it that reads commands from the platform. It is confined like everything
 * else in the machine, because it is a process of the machine. It ends when the platform closes its side, which it does
 * as soon as the daemon serves; the daemon itself gets none of the descriptors.
 */
export const withEarlyShell = (daemon: readonly string[]): string[] => {
  const closed = `${commands}<&- ${stdout}>&- ${stderr}>&-`
  return ['/bin/sh', '-c', `(/bin/sh <&${commands} >/dev/null 2>&1 &); exec "$@" ${closed}`, 'sh', ...daemon]
}

/** Runs commands in a machine whose daemon does not serve yet, one after the other. */
export interface EarlyShell {
  run(request: ExecRequest): Promise<ExecResult>
  /** Ends it when the commands it has are done. */
  finish(): void
}

const maxOutputBytes = 1024 ** 2
const longestMs = 10 * 60_000
/** `timeout` ends a command with SIGKILL, and the shell tells of it as 128 + 9. */
const killed = 137

export function openEarlyShell(stdio: readonly unknown[]): EarlyShell {
  const [control, out, err] = [commands, stdout, stderr].map((fd) => requireStream(stdio[fd]))
  let last: Promise<unknown> = Promise.resolve()
  const end = () => {
    for (const stream of [control, out, err]) stream?.destroy()
  }
  const runNow = async (request: ExecRequest): Promise<ExecResult> => {
    if (control?.destroyed) throw new Error('the machine’s first shell has ended')
    const mark = randomBytes(12).toString('hex')
    const most = request.maxOutputBytes ?? maxOutputBytes
    const reads = [readTo(control, mark, 64), readTo(out, mark, most), readTo(err, mark, most)]
    control?.write(`${writeCommand(request, mark)}\n`)
    // Nobody else ends a command without a time of its own: the shell goes, and whoever waits hears of it.
    const late = setTimeout(end, longestMs).unref()
    const [status, said, complained] = await Promise.all(reads).finally(() => clearTimeout(late))
    const code = Number(status?.text.trim())
    return {
      exitCode: code === killed ? undefined : code,
      signal: code === killed ? 'SIGKILL' : undefined,
      stdout: said?.text ?? '',
      stderr: complained?.text ?? '',
      truncated: said?.truncated === true || complained?.truncated === true,
    }
  }
  return {
    run(request) {
      const ran = last.then(() => runNow(request))
      // The next one does not care how this one ended.
      last = ran.catch(() => undefined)
      return ran
    },
    finish() {
      void last.then(end)
    },
  }
}

/** The mark ends each of the three streams: they come in no order among each other. Programs that need not run do not. */
function writeCommand({ argv, env = {}, cwd, timeoutMs }: ExecRequest, mark: string): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const words = [
    ...(variables.length > 0 ? ['env', ...variables] : []),
    ...(timeoutMs === undefined ? [] : ['timeout', '-s', 'KILL', String(timeoutMs / 1000)]),
    ...argv,
  ]
  const command = words.map(quoteShell).join(' ')
  const there = cwd === undefined ? command : `(cd ${quoteShell(cwd)} && exec ${command})`
  const marks = `printf '%s ${mark}' "$?" >&${commands}; printf ${mark} >&${stdout}; printf ${mark} >&${stderr}`
  return `${there} </dev/null >&${stdout} 2>&${stderr}; ${marks}`
}

function readTo(stream: Duplex | undefined, mark: string, most: number): Promise<{ text: string; truncated: boolean }> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let sizeBytes = 0
    let truncated = false
    let tail = Buffer.alloc(0)
    const finish = () => {
      stream?.off('data', take).off('close', lost)
      const whole = Buffer.concat(pieces)
      const end = whole.indexOf(mark)
      resolve({ text: whole.subarray(0, Math.min(end === -1 ? whole.length : end, most)).toString('utf8'), truncated })
    }
    const take = (chunk: Buffer) => {
      // Beyond the bound nothing is kept but what may be the beginning of the mark.
      if (sizeBytes <= most) pieces.push(chunk)
      else truncated = true
      sizeBytes += chunk.length
      tail = Buffer.concat([tail, chunk])
      if (tail.includes(mark)) {
        truncated ||= sizeBytes - mark.length > most
        return finish()
      }
      tail = tail.subarray(-mark.length)
    }
    const lost = () => reject(new Error('the machine’s first shell has ended'))
    stream?.on('data', take).once('close', lost)
  })
}

function requireStream(stream: unknown): Duplex {
  if (!(stream instanceof Duplex)) throw new Error('the machine has no pipe for its first commands')
  // It ended, or the platform closed it: whoever waits for an answer hears of the end.
  return stream.on('error', () => undefined)
}
