import type { MachineResources } from '../../provider.ts'

/** The limits of one machine, kept by the kernel. */
export interface Cgroup {
  /** Folders to remove when it is gone. */
  readonly paths: readonly string[]
  /** A process whose id is in each is limited from then on, with everything it starts. */
  readonly joinFiles: readonly string[]
  /**
   * True: the process has one thread and writes 0 to each itself, which takes a tenth of a millisecond. False: anybody
   * writes its id, and the kernel waits until nobody else is being moved, 5 to 22 ms.
   */
  readonly joinsItself: boolean
  freeze(): Promise<void>
  thaw(): Promise<void>
  readUsage(): Promise<Usage>
  /** Counts that only grow. */
  readLimitsMet(): Promise<LimitsMet>
}

export interface Usage {
  readonly memoryBytes: number
  readonly cpuSeconds: number
  readonly processes: number
}

export interface LimitsMet {
  /** Processes ended because the memory was used up. */
  readonly memory: number
  /** Processes that could not be started. */
  readonly processes: number
}

export interface Cgroups {
  readonly version: 1 | 2
  create(name: string, resources: MachineResources): Promise<Cgroup>
  /** Of a machine that another process of this platform started. */
  pathsOf(name: string): string[]
}

/** A build with hundreds of compilers at once is rare; a fork bomb needs millions. */
export const maxProcesses = ({ cpu }: MachineResources) => 512 + 256 * Math.ceil(cpu)
export const memoryLimitBytes = ({ memoryGb }: MachineResources) => Math.floor(memoryGb * 1024 ** 3)
export const cpuPeriodMicros = 100_000
