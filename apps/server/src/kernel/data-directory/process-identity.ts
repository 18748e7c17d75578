import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Names one process for ever: a pid alone is reused, a pid with its start time and the boot it belongs to is not. */
export interface ProcessIdentity {
  readonly pid: number
  readonly startedAt: string
  readonly bootId: string
  /** A pid means something only in its namespace: every container has its own. Undefined where there are none. */
  readonly pidNamespace?: string
  /** For people: which machine or container to look at. */
  readonly host?: string
}

/** Of a process in this namespace. Undefined when no such process lives. A zombie does not live: it holds nothing and can do nothing. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === 'linux' ? await startTimeFromProc(pid) : await startTimeFromPs(pid)
  if (startedAt === undefined) return undefined
  const pidNamespace = await readPidNamespace()
  return {
    pid,
    startedAt,
    bootId: await readBootId(),
    ...(pidNamespace === undefined ? {} : { pidNamespace }),
    host: hostname(),
  }
}

/** False for a process of another boot, machine or container: nothing that is seen here tells whether it lives. */
export async function isVisible({ bootId, pidNamespace }: ProcessIdentity): Promise<boolean> {
  if (bootId !== (await readBootId())) return false
  return pidNamespace === undefined || pidNamespace === (await readPidNamespace())
}

export async function isProcessAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identifyProcess(identity.pid)
  return now !== undefined && now.startedAt === identity.startedAt && now.bootId === identity.bootId
}

async function startTimeFromProc(pid: number): Promise<string | undefined> {
  let stat: string
  try {
    stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // The file is gone exactly when the process is.
    return undefined
  }
  // The command name is in parentheses and may itself hold spaces and parentheses; fields count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const state = fields[0]
  if (state === 'Z' || state === 'X') return undefined
  return fields[19]
}

async function startTimeFromPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env: { LC_ALL: 'C', TZ: 'UTC' } })
    const [state, ...startedAt] = stdout.trim().split(/\s+/)
    return state === undefined || state === '' || state.startsWith('Z') ? undefined : startedAt.join(' ')
  } catch {
    // `ps` exits with 1 when no process has this pid.
    return undefined
  }
}

async function readBootId(): Promise<string> {
  if (process.platform === 'linux') return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  const { stdout } = await run('/usr/sbin/sysctl', ['-n', 'kern.boottime'])
  return stdout.trim()
}

async function readPidNamespace(): Promise<string | undefined> {
  try {
    return await readlink('/proc/self/ns/pid')
  } catch {
    // Only Linux has namespaces.
    return undefined
  }
}
