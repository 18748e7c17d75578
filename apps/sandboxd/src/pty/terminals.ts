import { randomBytes } from 'node:crypto'
import { refuse } from '../http/reply.ts'
import type { PtyModule, PtyProcess } from './load-pty.ts'
import { createScrollback } from './scrollback.ts'

export interface TerminalInfo {
  readonly id: string
  readonly title: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly status: 'running' | 'exited'
  readonly pid: number
  readonly exitCode?: number
}

export interface TerminalInput {
  readonly id?: string | undefined
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly cwd?: string | undefined
  readonly title?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly size?: TerminalSize | undefined
}

export interface TerminalSize {
  readonly rows: number
  readonly cols: number
}

export interface Viewer {
  onData(text: string): void
  onExit(): void
}

export interface Terminal {
  readonly info: TerminalInfo
  readonly scrollback: string
  write(text: string): void
  resize(size: TerminalSize): void
  rename(title: string): void
  /** Stops the program's output while a viewer is behind: nothing is dropped and nothing piles up. */
  hold(viewer: Viewer): void
  release(viewer: Viewer): void
  watch(viewer: Viewer): () => void
}

export interface Terminals {
  list(): readonly TerminalInfo[]
  find(id: string): Terminal | undefined
  create(input: TerminalInput): Terminal
  /** Ends the program if it still runs and forgets the terminal. */
  remove(id: string): boolean
  close(): void
}

export interface TerminalOptions {
  readonly shell: string
  readonly cwd: string
  load(): PtyModule
  environment(): Record<string, string>
}

const maxRunning = 32
const maxExited = 32
const scrollbackBytes = 65_536
const killAfterMs = 1_000
const defaultSize: TerminalSize = { rows: 24, cols: 80 }

/** Terminals that live on while nobody looks, independent of the runtime. */
export function createTerminals(options: TerminalOptions): Terminals {
  const terminals = new Map<string, { terminal: Terminal; process: PtyProcess }>()
  const isRunning = ({ terminal }: { terminal: Terminal }) => terminal.info.status === 'running'

  const create = (input: TerminalInput): Terminal => {
    if ([...terminals.values()].filter(isRunning).length >= maxRunning) {
      throw refuse(429, 'too_many_terminals', `At most ${maxRunning} terminals run at once: close one.`)
    }
    const id = input.id ?? `pty_${randomBytes(9).toString('base64url')}`
    const { terminal, process } = openTerminal(id, input, options)
    terminals.set(id, { terminal, process })
    const exited = [...terminals.values()].filter((one) => !isRunning(one))
    for (const { terminal: old } of exited.slice(0, Math.max(0, exited.length - maxExited)))
      terminals.delete(old.info.id)
    return terminal
  }

  const end = ({ terminal, process }: { terminal: Terminal; process: PtyProcess }) => {
    if (terminal.info.status !== 'running') return
    process.resume()
    hangUp(process.pid)
  }

  return {
    list: () => [...terminals.values()].map(({ terminal }) => terminal.info),
    find: (id) => terminals.get(id)?.terminal,
    create,
    remove(id) {
      const found = terminals.get(id)
      if (!found) return false
      end(found)
      return terminals.delete(id)
    },
    close() {
      for (const one of terminals.values()) end(one)
    },
  }
}

function openTerminal(id: string, input: TerminalInput, options: TerminalOptions) {
  const command = input.command ?? options.shell
  const args = input.args ?? []
  const size = input.size ?? defaultSize
  const cwd = input.cwd ?? options.cwd
  const process = options.load().spawn(command, [...args], {
    name: 'xterm-256color',
    cols: size.cols,
    rows: size.rows,
    cwd,
    env: { ...options.environment(), ...input.env, TERM: 'xterm-256color' },
  })
  let info: TerminalInfo = {
    id,
    title: input.title ?? command,
    command,
    args,
    cwd,
    status: 'running',
    pid: process.pid,
  }
  const scrollback = createScrollback(scrollbackBytes)
  const viewers = new Set<Viewer>()
  const behind = new Set<Viewer>()
  const release = (viewer: Viewer) => {
    if (behind.delete(viewer) && behind.size === 0 && info.status === 'running') process.resume()
  }

  process.onData((text) => {
    scrollback.push(text)
    for (const viewer of viewers) viewer.onData(text)
  })
  process.onExit(({ exitCode }) => {
    info = { ...info, status: 'exited', exitCode }
    for (const viewer of viewers) viewer.onExit()
  })
  const terminal: Terminal = {
    get info() {
      return info
    },
    get scrollback() {
      return scrollback.text()
    },
    write(text) {
      if (info.status === 'running') process.write(text)
    },
    resize({ rows, cols }) {
      if (info.status === 'running') process.resize(cols, rows)
    },
    rename(title) {
      info = { ...info, title }
    },
    hold(viewer) {
      if (behind.size === 0 && info.status === 'running') process.pause()
      behind.add(viewer)
    },
    release,
    watch(viewer) {
      viewers.add(viewer)
      return () => {
        viewers.delete(viewer)
        release(viewer)
      }
    },
  }
  return { terminal, process }
}

/** As if the line were cut: a shell passes that on to all its jobs. What does not care is killed. */
function hangUp(pid: number): void {
  signalGroup(pid, 'SIGHUP')
  setTimeout(() => signalGroup(pid, 'SIGKILL'), killAfterMs).unref()
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    // ESRCH: it ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
