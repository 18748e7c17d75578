import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Writable } from 'node:stream'
import type { BootConfig, MachineResources } from '../provider.ts'
import { bwrapArguments } from './bwrap-arguments.ts'
import { maxProcesses, memoryLimitBytes, removeCgroups } from './cgroups/index.ts'
import { describeEnd } from './describe-end.ts'
import { seccompFile } from './kit.ts'
import { descriptors, launchMachine } from './launch-machine.ts'
import { placesOf } from './layout.ts'
import type { LocalParts } from './local-parts.ts'
import { keepTail } from './output-tail.ts'
import { planView } from './plan-view.ts'
import { listChildren } from './processes.ts'
import { reachDaemon } from './reach-daemon.ts'
import type { RunningMachine } from './running-machine.ts'
import { type LocalSpec, writeRunning } from './spec-file.ts'
import { endMachine } from './stop-machine.ts'
import { waitForDaemon } from './wait-for-daemon.ts'

const bootDeadlineMs = 30_000
const daemon = ['/opt/svc/node/bin/node', '/opt/svc/sandboxd/sandboxd.mjs']
const prlimit = '/usr/bin/prlimit'

/** Resolves when the daemon answers. A machine that does not get that far leaves no process, socket or limit behind. */
export async function startMachine(parts: LocalParts, spec: LocalSpec, boot: BootConfig): Promise<RunningMachine> {
  const places = placesOf(parts.layout, spec.externalId)
  await makeRunFolder(places.run)
  const machine = await launch(parts, spec, boot)
  const died = machine.ended.then((reason) => Promise.reject(new Error(reason)))
  // It ends one day, long after anybody waits for the start.
  died.catch(() => undefined)
  try {
    await waitForDaemon(machine.reach, died, bootDeadlineMs)
    return machine
  } catch (error) {
    await endMachine(machine, 'its start failed')
    throw new Error(`The machine did not start: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/** The host's own folder, which the guest only reads. Nothing in it is from before. */
async function makeRunFolder(run: string): Promise<void> {
  await rm(run, { recursive: true, force: true })
  await mkdir(run, { mode: 0o711 })
}

async function launch(parts: LocalParts, spec: LocalSpec, boot: BootConfig): Promise<RunningMachine> {
  const { externalId, resources, disk } = spec
  const { kit } = parts.layout
  const places = placesOf(parts.layout, externalId)
  const hostUid = spec.hostUid ?? undefined
  // Written first, so that a crash at any later point leaves nothing that the next start does not find.
  await writeRunning(places, { cgroups: parts.cgroups?.pathsOf(externalId) ?? [] })
  const egress = await parts.openEgress({ externalId, socketPath: join(places.run, 'egress.sock'), hostUid })
  const group = await parts.cgroups?.create(externalId, resources)
  const files = parts.files()
  const view = await planView({ places, kit, files, disk, start: spec.start ?? undefined, hostUid })
  const filter = await open(seccompFile(kit))
  const nothing = await open('/dev/null')
  const child = launchMachine({
    bwrap: parts.bwrap,
    joinFiles: group?.joinFiles ?? [],
    mounts: view.mounts,
    view: view.folder,
    hostUid,
    seccompFd: filter.fd,
    nullFd: nothing.fd,
    bwrapArguments: bwrapArguments({
      ...view,
      hostname: externalId,
      memoryBytes: memoryLimitBytes(resources),
      statusFd: descriptors.status,
      seccompFd: descriptors.seccomp,
      bootFd: descriptors.boot,
      command: group ? daemon : [...limitProcesses(resources), ...daemon],
    }),
  })
  // The child has its own copies.
  await Promise.all([filter.close(), nothing.close()])
  handOver(child.stdio[descriptors.boot], boot)
  const initPid = readInitPid(child.stdio[descriptors.status])
  const daemonPid = findDaemon(initPid)
  const reach = async () => {
    const pid = await daemonPid()
    if (pid === undefined) throw new Error('the daemon has not started yet')
    return reachDaemon(pid)
  }
  const output = keepTail([child.stdout, child.stderr])
  const ended = once(child, 'close').then(async () => {
    const reason = machine.endReason ?? (await describeEnd(machine))
    await clear(machine).catch((error: unknown) => parts.log.error('a machine left something behind', { error }))
    return reason
  })
  const machine: RunningMachine = {
    ...{ spec, places, child, group, initPid, daemonPid, output, ended, reach, serviceKey: boot.serviceKey, egress },
    paused: false,
    endReason: undefined,
    endWasAsked: false,
  }
  return machine
}

/** Where no group keeps count: set inside, so that it counts the machine's own processes only. */
function limitProcesses(resources: MachineResources): string[] {
  if (!existsSync(prlimit)) return []
  const most = maxProcesses(resources)
  return [prlimit, `--nproc=${most}:${most}`, '--']
}

/** Through a pipe into the machine's memory: the key is on no disk. */
function handOver(pipe: unknown, boot: BootConfig): void {
  if (!(pipe instanceof Writable)) throw new Error('the machine has no pipe for its configuration')
  // It ended before it read: its end says why.
  pipe.on('error', () => undefined)
  pipe.end(JSON.stringify(boot))
}

/** The daemon is the first child of the first process inside. */
function findDaemon(initPid: () => number | undefined): () => Promise<number | undefined> {
  let daemonPid: number | undefined
  return async () => {
    const init = initPid()
    daemonPid ??= init === undefined ? undefined : (await listChildren(init))[0]
    return daemonPid
  }
}

/** Everything of the machine that lies outside its folder. Its mounts are gone with its last process. */
async function clear({ egress, group, places }: RunningMachine): Promise<void> {
  await egress?.close()
  if (group) await removeCgroups(group.paths)
  await rm(places.running, { force: true })
}

/** Bubblewrap reports one JSON document per line; the first names the process that is number 1 inside. */
function readInitPid(status: unknown): () => number | undefined {
  let text = ''
  if (isReadable(status)) status.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  return () => {
    const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1]
    return pid === undefined ? undefined : Number(pid)
  }
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === 'object' && stream !== null && 'setEncoding' in stream
}
