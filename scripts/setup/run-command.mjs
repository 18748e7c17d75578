import { spawn } from 'node:child_process'

const keptOutputChars = 200_000
const killAfterMs = 3_000

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()

export class CommandFailed extends Error {
  /**
   * @param {string} command
   * @param {string} ending
   * @param {string} output
   */
  constructor(command, ending, output) {
    super(`${command} ${ending}`)
    this.name = 'CommandFailed'
    this.output = output
  }
}

/**
 * Runs a command to its end and returns what it printed. It gets a process group of its own, so that stopping it
 * also stops whatever it started.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, onLine?: (line: string) => void, inherit?: boolean }} [options]
 * @returns {Promise<string>}
 */
export async function runCommand(command, args, options = {}) {
  const { code, signal, output } = await runToEnd(command, args, options)
  if (code === 0) return output
  const ending = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`
  throw new CommandFailed([command, ...args].join(' '), ending, output)
}

/**
 * The same without judging the exit code.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, onLine?: (line: string) => void, inherit?: boolean }} [options]
 * @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null, output: string }>}
 */
export function runToEnd(command, args, { cwd, env = process.env, onLine, inherit = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      detached: true,
      stdio: inherit ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-keptOutputChars)
        if (onLine) for (const line of text.split('\n')) if (line.trim()) onLine(line.trim())
      })
    }
    child.once('error', (error) => {
      running.delete(child)
      reject(error)
    })
    child.once('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal, output })
    })
  })
}

/** Ends every command still running, with everything it started, and waits until they are gone. */
export async function stopCommands() {
  const children = [...running]
  const gone = children.map((child) => new Promise((resolve) => child.once('close', resolve)))
  for (const child of children) signalGroup(child, 'SIGTERM')
  const timer = setTimeout(() => {
    for (const child of running) signalGroup(child, 'SIGKILL')
  }, killAfterMs)
  await Promise.all(gone)
  clearTimeout(timer)
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function signalGroup(child, signal) {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    // ESRCH: it ended between our look and our signal, which is what we wanted.
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ESRCH') throw error
  }
}
