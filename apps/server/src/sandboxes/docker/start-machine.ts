import type { OnReadOpts, Socket } from 'node:net'
import { join } from 'node:path'
import type { MachineFile, OpenEgress, OpenWay } from '../local/index.ts'
import { waitForDaemon } from '../local/wait-for-daemon.ts'
import type { BootConfig } from '../provider.ts'
import type { FoundEngine } from './check-engine.ts'
import { containerConfig } from './container-config.ts'
import { type ContainerPlaces, type ContainerSpec, makeRunFolders } from './machine-folder.ts'
import { reachSocket } from './reach-socket.ts'
import {
  type Container,
  type Ending,
  makeContainer,
  removeContainer,
  startContainer,
  waitForEnd,
} from './run-container.ts'

export interface RunningContainer {
  readonly spec: ContainerSpec
  readonly places: ContainerPlaces
  readonly container: Container
  readonly serviceKey: string
  /** Why it ended. */
  readonly ended: Promise<string>
  readonly reach: (onread?: OnReadOpts) => Promise<Socket>
  egress: OpenWay | undefined
  paused: boolean
  /** Why the platform ended it, when it did. */
  endReason: string | undefined
}

export interface StartParts {
  readonly found: FoundEngine
  readonly nodeId: string
  readonly files: () => readonly MachineFile[]
  readonly openEgress: OpenEgress
}

export const daemonCommand = ['/opt/svc/node/bin/node', '/opt/svc/sandboxd/sandboxd.mjs'] as const
export const containerName = (externalId: string) => `svc-${externalId}`

/**
 * The template's command runs beside the daemon, as the same user, and only once the daemon has taken the boot
 * configuration away: the machine's key is not for it. Its end is not the machine's, nor its failure.
 */
function commandOf({ entrypoint }: ContainerSpec): readonly string[] {
  if (entrypoint === undefined) return daemonCommand
  const wait = 'while [ -e /run/svc/boot.json ]; do sleep 0.1; done'
  const script = `entrypoint=$1; shift; ( { ${wait}; exec /bin/sh -c "$entrypoint" < /dev/null; } & ); exec "$@"`
  return ['/bin/sh', '-c', script, 'sh', entrypoint, ...daemonCommand]
}

const bootDeadlineMs = 60_000

/** Resolves when the daemon answers. A machine that does not get that far leaves no container and no socket behind. */
export async function startMachine(
  { found, nodeId, files, openEgress }: StartParts,
  spec: ContainerSpec,
  places: ContainerPlaces,
  boot: BootConfig,
): Promise<RunningContainer> {
  const { engine, isRootless } = found
  const { externalId } = spec
  await makeRunFolders(places, spec, boot)
  const hostUid = process.getuid?.() === 0 ? spec.uid : undefined
  const egress = await openEgress({ externalId, socketPath: join(places.hostRun, 'egress.sock'), hostUid })
  try {
    const command = commandOf(spec)
    const config = containerConfig({ spec, places, files: files(), nodeId, isRootless, command })
    const container = await makeContainer(engine, containerName(externalId), config)
    await startContainer(engine, container)
    const ended = waitForEnd(engine, container).then(describeEnd, lostSight)
    const machine: RunningContainer = {
      ...{ spec, places, container, egress, ended },
      serviceKey: boot.serviceKey,
      reach: (onread) => reachSocket(places.run, onread),
      paused: false,
      endReason: undefined,
    }
    const died = ended.then((reason) => Promise.reject(new Error(reason)))
    // It ends one day, long after anybody waits for the start.
    died.catch(() => undefined)
    await waitForDaemon(machine.reach, died, bootDeadlineMs)
    return machine
  } catch (error) {
    await removeContainer(engine, containerName(externalId)).catch(() => undefined)
    await egress?.close()
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`The machine did not start: ${why}`, { cause: error })
  }
}

function describeEnd({ exitCode, wasOutOfMemory, output }: Ending): string {
  if (wasOutOfMemory) return 'The machine used more memory than it may have and was ended.'
  const last = output.trim().split('\n').at(-1) ?? ''
  return `The machine ended by itself (exit ${exitCode})${last === '' ? '' : `: ${last}`}.`
}

function lostSight(error: unknown): string {
  return `The container engine lost the machine: ${error instanceof Error ? error.message : String(error)}`
}
