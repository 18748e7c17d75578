import { statfs } from 'node:fs/promises'
import { maxFiles } from '../max-files.ts'
import { measureFolders } from '../measure-folders.ts'
import { maxProcesses, memoryLimitBytes } from './cgroups/index.ts'
import { measureProcesses } from './measure-machine.ts'
import type { RunningMachine } from './running-machine.ts'
import { endMachine } from './stop-machine.ts'

export interface LimitWatch {
  /** Looks at every machine once. */
  look(): Promise<void>
  stop(): void
}

/** Told when a machine met a limit and goes on. */
export type OnNotice = (externalId: string, detail: string) => void

const lookMs = 2_000
/** Of one kind, for one machine. */
const quietMs = 30_000

/**
 * Limits that the kernel keeps are only reported here; those it does not keep on this host are kept here, by ending
 * the machine.
 */
export function watchLimits(running: () => Iterable<RunningMachine>, onNotice: OnNotice): LimitWatch {
  const told = new Map<string, { untilMs: number; count: number }>()
  let looking: Promise<void> | undefined

  const tell = ({ spec }: RunningMachine, kind: string, count: number, detail: string) => {
    const key = `${spec.externalId} ${kind}`
    const last = told.get(key)
    if (count <= (last?.count ?? 0) || (last && last.untilMs > performance.now())) return
    told.set(key, { count, untilMs: performance.now() + quietMs })
    onNotice(spec.externalId, detail)
  }

  async function lookAt(machine: RunningMachine): Promise<void> {
    if (machine.endReason !== undefined) return
    const { memoryGb, diskGb } = machine.spec.resources
    if (machine.group) {
      const met = await machine.group.readLimitsMet()
      tell(machine, 'memory', met.memory, `A process was ended because the ${memoryGb} GB of memory were used up.`)
      const most = maxProcesses(machine.spec.resources)
      tell(machine, 'processes', met.processes, `A process could not be started because ${most} are running.`)
    } else await keepByHand(machine)
    if (machine.spec.disk === 'image') {
      if (await isFull(machine)) tell(machine, 'disk', performance.now(), `The disk of ${diskGb} GB is full.`)
    } else await keepDiskByHand(machine)
  }

  const look = () => {
    looking ??= Promise.all([...running()].map(lookAt))
      .then(() => undefined)
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  // A machine that ends while it is looked at has nothing more to be told.
  const timer = setInterval(() => void look().catch(() => undefined), lookMs).unref()
  return { look, stop: () => clearInterval(timer) }
}

async function keepByHand(machine: RunningMachine): Promise<void> {
  const { resources } = machine.spec
  const { memoryBytes, processes } = await measureProcesses(machine.places.run)
  if (memoryBytes > memoryLimitBytes(resources)) {
    await endMachine(machine, `The machine used more than its ${resources.memoryGb} GB of memory and was stopped.`)
  } else if (processes > maxProcesses(resources)) {
    await endMachine(machine, `The machine ran more than ${maxProcesses(resources)} processes and was stopped.`)
  }
}

async function keepDiskByHand(machine: RunningMachine): Promise<void> {
  const { diskGb } = machine.spec.resources
  const { bytes, files } = await measureFolders([machine.places.disk])
  if (bytes > diskGb * 1024 ** 3) {
    await endMachine(machine, `The machine wrote more than its ${diskGb} GB of disk and was stopped.`)
  } else if (files > maxFiles(diskGb)) {
    await endMachine(machine, `The machine made more than ${maxFiles(diskGb)} files and was stopped.`)
  }
}

async function isFull({ daemonPid }: RunningMachine): Promise<boolean> {
  const pid = await daemonPid()
  if (pid === undefined) return false
  const { bavail, blocks, ffree } = await statfs(`/proc/${pid}/root/workspace`)
  return bavail < blocks / 1000 || ffree === 0
}
