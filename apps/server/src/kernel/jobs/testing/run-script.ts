import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const serverRoot = fileURLToPath(new URL('../../../..', import.meta.url))

/** A real Node process running one of our TypeScript files, for promises that hold across processes. */
export interface ScriptProcess {
  readonly child: ChildProcess
  readonly pid: number
  /** Everything written to stdout and stderr so far. */
  output(): string
  /** The next message the script sends with `process.send`, in order; fails when the process ends without one. */
  nextMessage(): Promise<unknown>
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  kill(signal: NodeJS.Signals): void
}

/** Bundles the script; packages stay imports. One file per script is left behind, replaced whole by the next run. */
export async function bundleScript(script: URL): Promise<string> {
  const input = fileURLToPath(script)
  const name = createHash('sha256').update(input).digest('hex').slice(0, 16)
  // Below the server's node_modules, so that the bundle finds the packages it imports.
  const file = join(serverRoot, 'node_modules', '.cache', 'svc-scripts', `${name}.mjs`)
  await mkdir(dirname(file), { recursive: true })
  const bundle = await rolldown({ input, external: /^(?![./]|.:)/, platform: 'node', logLevel: 'silent' })
  const draft = `${file}.${process.pid}`
  await bundle.write({ file: draft, format: 'esm', codeSplitting: false })
  await bundle.close()
  await rename(draft, file)
  return file
}

export function startScript(file: string, environment: Record<string, string> = {}): ScriptProcess {
  const child = fork(file, [], {
    env: { ...process.env, ...environment },
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const inbox: unknown[] = []
  const waiting: Array<{ resolve: (message: unknown) => void; reject: (error: Error) => void }> = []
  child.on('message', (message) => {
    const next = waiting.shift()
    if (next) next.resolve(message)
    else inbox.push(message)
  })
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => {
      for (const { reject } of waiting) reject(new Error(`the script ended (${code ?? signal}): ${output}`))
      resolve({ code, signal })
    })
  })
  return {
    child,
    pid: child.pid ?? 0,
    output: () => output,
    exited,
    kill: (signal) => void child.kill(signal),
    nextMessage() {
      if (inbox.length > 0) return Promise.resolve(inbox.shift())
      if (child.exitCode !== null) return Promise.reject(new Error(`the script ended: ${output}`))
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
  }
}
