import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

export type PiEvent = Readonly<Record<string, unknown>> & { readonly type: string }

interface PiListeners {
  event(event: PiEvent): void
  /** Told once, however it ended. */
  exit(reason: string): void
}

const longestLineBytes = 64 * 1024 * 1024

/** One pi in RPC mode: JSON lines both ways. Lines end with a line feed and nothing else. */
export class PiProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #waiting = new Map<string, { resolve(data: unknown): void; reject(error: Error): void }>()
  readonly #listeners: PiListeners
  #errors = ''
  #next = 0
  #ended: string | undefined

  constructor(command: readonly string[], place: { workspace: string; tools: string }, listeners: PiListeners) {
    const [program = '', ...args] = command
    const env = { ...process.env, PATH: `${place.tools}:${process.env.PATH ?? '/usr/bin:/bin'}` }
    this.#listeners = listeners
    this.#child = spawn(program, args, { cwd: place.workspace, env, stdio: ['pipe', 'pipe', 'pipe'] })
    readLines(this.#child.stdout, (line) => this.#take(line))
    this.#child.stderr.on('data', (bytes: Buffer) => {
      this.#errors = `${this.#errors}${bytes.toString('utf8')}`.slice(-2_000)
    })
    this.#child.stdin.on('error', () => this.#end('pi no longer reads'))
    this.#child.once('error', (error) => this.#end(`pi did not start: ${error.message}`))
    this.#child.once('exit', (code, signal) => this.#end(`pi ended (${signal ?? code}) ${this.#errors.trim()}`.trim()))
  }

  /** Resolves with what pi answers to a command; rejects with its reason, or when it ends first. */
  request(command: Readonly<Record<string, unknown>> & { readonly type: string }): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(new Error(this.#ended))
    this.#next += 1
    const id = String(this.#next)
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.send({ ...command, id })
    })
  }

  send(message: object): void {
    if (this.#ended === undefined) this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  stop(): void {
    this.#child.kill('SIGTERM')
  }

  #take(line: string): void {
    const message = parse(line)
    if (message === undefined) return
    if (message.type !== 'response') {
      this.#listeners.event(message)
      return
    }
    const id = String(message.id)
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (message.success === true) waiting?.resolve(message.data)
    else waiting?.reject(new Error(String(message.error ?? 'pi refused')))
  }

  #end(reason: string): void {
    if (this.#ended !== undefined) return
    this.#ended = reason
    for (const { reject } of this.#waiting.values()) reject(new Error(reason))
    this.#waiting.clear()
    this.#listeners.exit(reason)
  }
}

function readLines(stream: Readable, take: (line: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  stream.on('data', (bytes: Buffer) => {
    const lines = (rest + decoder.write(bytes)).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longestLineBytes) stream.destroy(new Error('pi wrote a line without an end'))
    for (const line of lines) take(line)
  })
}

function parse(line: string): PiEvent | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string') {
      return { ...value, type: value.type }
    }
    return undefined
  } catch {
    // Extensions may print to the same stream; what is no JSON is not for us.
    return undefined
  }
}
