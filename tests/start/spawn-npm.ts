import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const pollEveryMs = 50

export interface RunningNpm {
  child: ChildProcess
  pid: number
  /** Everything printed so far, both streams. */
  output(): string
  /** Waits until `probe` answers true; fails when npm ends first. */
  until(probe: () => boolean | Promise<boolean>): Promise<void>
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** The processes below npm now, and any other that carries its mark, its process group or one of its folders. */
  processes(): number[]
}

/** Starts npm as a terminal would: leader of a process group of its own. */
export function spawnNpm(args: string[], cwd: string, env: NodeJS.ProcessEnv): RunningNpm {
  const mark = `svc-mark-${process.pid}-${Math.random().toString(36).slice(2)}`
  const child = spawn('npm', args, {
    cwd,
    env: { ...cleanEnvironment(), ...env, SVC_TEST_MARK: mark },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const end = once(child, 'close')
  const pid = child.pid ?? 0
  /** By number and birth: a number is given to another process once its own has ended. */
  const known = new Map<number, string>()
  return {
    child,
    pid,
    output: () => output,
    until: async (probe) => {
      while (!(await probe())) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`npm ended early:\n${output}`)
        await sleep(pollEveryMs)
      }
    },
    ended: async () => {
      const [code, signal] = await end
      return { code, signal }
    },
    processes: () => {
      const below = isAlive(pid, known.get(pid)) ? listBelow(pid) : []
      for (const found of below) known.set(found, readStat(found)?.born ?? '')
      const alive = [...known].flatMap(([one, born]) => (isAlive(one, born) ? [one] : []))
      return [...new Set([...alive, ...listMarked(mark, pid, env.SVC_DATA_DIR)])].sort((a, b) => a - b)
    },
  }
}

/** Waits until none of the processes of a run is left, and says which are when that does not happen. */
export async function waitUntilGone(npm: RunningNpm, withinMs = 60_000): Promise<string[]> {
  const deadline = Date.now() + withinMs
  while (Date.now() < deadline && npm.processes().length > 0) await sleep(pollEveryMs)
  return npm.processes().map((pid) => `${pid} ${readProc(pid, 'cmdline').replaceAll('\0', ' ')}`)
}

export async function isHealthy(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/health`)
    return response.ok
  } catch {
    // Nobody listens yet: the caller asks again.
    return false
  }
}

/** What a terminal would give: nothing of the npm or vitest that runs this test. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(npm_|VITEST|VITE_|NODE_ENV$|NODE_OPTIONS$|TEST$|MODE$|DEV$|PROD$|SSR$|BASE_URL$|SVC_)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)))
}

function listBelow(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const one of listPids()) {
    const parent = readStat(one)?.parent
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), one])
  }
  const found: number[] = []
  const visit = (one: number) => {
    found.push(one)
    for (const child of children.get(one) ?? []) visit(child)
  }
  visit(pid)
  return found
}

function listMarked(mark: string, group: number, dataDir: string | undefined): number[] {
  return listPids().filter((pid) => {
    const stat = readStat(pid)
    if (!stat || stat.state === 'Z') return false
    if (stat.group === group || readProc(pid, 'environ').includes(mark)) return true
    if (!dataDir) return false
    return readProc(pid, 'cmdline').includes(dataDir) || readCwd(pid).startsWith(dataDir)
  })
}

const listPids = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** Of a process that was never seen before: whether there is one of this number. */
function isAlive(pid: number, born: string | undefined): boolean {
  const stat = readStat(pid)
  return stat !== undefined && stat.state !== 'Z' && (born === undefined || stat.born === born)
}

function readStat(pid: number): { state: string; parent: number; group: number; born: string } | undefined {
  const text = readProc(pid, 'stat')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group] = fields
  const born = fields[19]
  return state && parent && group && born ? { state, parent: Number(parent), group: Number(group), born } : undefined
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // It ended while we looked.
    return ''
  }
}

function readCwd(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    // It ended while we looked.
    return ''
  }
}
