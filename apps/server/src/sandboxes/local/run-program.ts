import { spawn } from 'node:child_process'

export interface ProgramResult {
  readonly code: number | null
  readonly output: string
}

/** A short program of the host, with nothing of our environment. Never rejects: a program that is missing has code null. */
export function runProgram(
  command: string,
  args: readonly string[],
  options: { uid?: number; timeoutMs?: number; env?: Readonly<Record<string, string>> } = {},
): Promise<ProgramResult> {
  const { uid, timeoutMs = 10_000, env } = options
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', ...env },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    })
    let output = ''
    const add = (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-4_096)
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    child.once('error', (error) => resolve({ code: null, output: error.message }))
    child.once('close', (code) => resolve({ code, output: output.trim() }))
  })
}
