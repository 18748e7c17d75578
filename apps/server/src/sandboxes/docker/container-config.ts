import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { maxProcesses, memoryLimitBytes } from '../local/cgroups/index.ts'
import type { MachineFile } from '../local/machine-files.ts'
import { type ContainerPlaces, type ContainerSpec, hostRunPath } from './machine-folder.ts'

export const machineLabel = 'svc.machine'
export const nodeLabel = 'svc.node'

export interface ContainerInput {
  readonly spec: ContainerSpec
  readonly places: ContainerPlaces
  readonly files: readonly MachineFile[]
  readonly nodeId: string
  readonly isRootless: boolean
  readonly command: readonly string[]
}

const maxOpenFiles = 16_384

/**
 * What an engine makes a machine from: no network, no capability, no way to gain one, nothing writable but its own
 * disk, and bounds on memory, processors, processes and open files.
 */
export function containerConfig({ spec, places, files, nodeId, isRootless, command }: ContainerInput) {
  const { externalId, image, uid, resources } = spec
  const memoryBytes = memoryLimitBytes(resources)
  const processes = maxProcesses(resources)
  const tmpBytes = Math.floor(memoryBytes / 2)
  const readOnly = (Source: string, Target: string) => ({ Type: 'bind', Source, Target, ReadOnly: true })
  const writable = (Source: string, Target: string) => ({ Type: 'bind', Source, Target, ReadOnly: false })
  const limits = readOwnLimits()
  return {
    Image: image,
    Entrypoint: [...command],
    Cmd: [],
    Env: ['SVC_RUN_DIR=/run/svc', 'HOME=/home/agent', 'LANG=C.UTF-8'],
    User: `${uid}:${uid}`,
    WorkingDir: '/workspace',
    Hostname: externalId,
    Labels: { [machineLabel]: externalId, [nodeLabel]: nodeId },
    StopSignal: 'SIGTERM',
    // The image's own check would run inside, on its own schedule.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      NetworkMode: 'none',
      ...(isRootless ? { UsernsMode: 'keep-id' } : {}),
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Privileged: false,
      Init: true,
      IpcMode: 'private',
      Mounts: [
        writable(places.workspace, '/workspace'),
        writable(places.home, '/home/agent'),
        writable(places.run, '/run/svc'),
        readOnly(places.hostRun, hostRunPath),
        readOnly(join(places.hostRun, 'passwd'), '/etc/passwd'),
        readOnly(join(places.hostRun, 'group'), '/etc/group'),
        ...files.map(({ hostPath, machinePath }) => readOnly(hostPath, machinePath)),
      ],
      Tmpfs: { '/tmp': `rw,nosuid,nodev,mode=1777,size=${tmpBytes}` },
      Memory: memoryBytes,
      MemorySwap: memoryBytes,
      NanoCpus: Math.round(resources.cpu * 1e9),
      PidsLimit: processes,
      Ulimits: [
        { Name: 'nofile', ...bound(Math.min(maxOpenFiles, limits.openFiles - 1)) },
        { Name: 'nproc', ...bound(Math.min(processes, limits.processes - 1)) },
        { Name: 'core', ...bound(0) },
      ],
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m' } },
      RestartPolicy: { Name: 'no' },
    },
  }
}

const bound = (value: number) => ({ Soft: value, Hard: value })

/** An engine may set a limit only below its own; ours are the nearest known ones. */
function readOwnLimits(): { openFiles: number; processes: number } {
  const text = readLimits()
  const hard = (name: string) => {
    const value = new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, 'm').exec(text)?.[1]
    return value === undefined || value === 'unlimited' ? Number.POSITIVE_INFINITY : Number(value)
  }
  return { openFiles: hard('Max open files'), processes: hard('Max processes') }
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    // Without it the usual bounds hold.
    return ''
  }
}
