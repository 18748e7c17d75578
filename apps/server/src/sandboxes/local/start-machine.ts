import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Duplex, type Readable } from 'node:stream'
import type { BootConfig, MachineResources, WarmInput } from '../provider.ts'
import { bwrapArguments } from './bwrap-arguments.ts'
import { type Cgroup, maxProcesses, memoryLimitBytes, removeCgroups } from './cgroups/index.ts'
import { describeEnd } from './describe-end.ts'
import { openEarlyShell, withEarlyShell } from './early-shell.ts'
import { seccompFile } from './kit.ts'
import { descriptors, launchMachine } from './launch-machine.ts'
import { type MachinePlaces, placesOf } from './layout.ts'
import type { LocalParts, OpenWay } from './local-parts.ts'
import { keepTail } from './output-tail.ts'
import { planView } from './plan-view.ts'
import { listChildren } from './processes.ts'
import { reachDaemon } from './reach-daemon.ts'
import type { RunningMachine } from './running-machine.ts'
import { type LocalSpec, writeRunning } from './spec-file.ts'
import { endMachine } from './stop-machine.ts'
import { waitForDaemon } from './wait-for-daemon.ts'

const bootDeadlineMs = 30_000
const warmDeadlineMs = 120_000
const daemon = ['/opt/svc/node/bin/node', '/opt/svc/sandboxd/sandboxd.mjs']
const prlimit = '/usr/bin/prlimit'

/** Resolves when its processes run; until the daemon serves, only its first shell answers. */
export const launchMachineOf = (parts: LocalParts, spec: LocalSpec, boot: BootConfig): Promise<RunningMachine> =>
  launch(parts, spec, boot)

/** One that nobody owns: its daemon and its runtime run, and all that is missing is its boot configuration and a way out. */
export async function warmMachine(
  parts: LocalParts,
  spec: LocalSpec,
  { runtime, signal }: Pick<WarmInput, 'runtime' | 'signal'>,
): Promise<RunningMachine> {
  const machine = await launch(parts, spec, undefined)
  const isTooLate = AbortSignal.any([signal, AbortSignal.timeout(warmDeadlineMs)])
  const isWarm = once(machine.bootPipe, 'data', { signal: isTooLate })
  machine.bootPipe.write(`${JSON.stringify(runtime ?? null)}\n`)
  try {
    await Promise.race([isWarm, machine.ended.then((reason) => Promise.reject(new Error(reason)))])
  } catch (error) {
    await endMachine(machine, 'it did not become warm')
    throw error
  }
  return machine
}

/** Gives a warm machine its boot configuration and its way out; then it starts like any other. */
export async function bootWarm(parts: LocalParts, machine: RunningMachine, boot: BootConfig): Promise<void> {
  machine.serviceKey = boot.serviceKey
  try {
    machine.egress = await openWay(parts, machine.spec)
  } catch (error) {
    await endMachine(machine, 'its way out could not be opened')
    throw error
  }
  machine.bootPipe.end(`${JSON.stringify(boot)}\n`)
  await waitUntilServing(machine)
}

/** Resolves when the daemon answers. A machine that does not get that far leaves no process, socket or limit behind. */
export async function waitUntilServing(machine: RunningMachine): Promise<void> {
  const died = machine.ended.then((reason) => Promise.reject(new Error(reason)))
  // It ends one day, long after anybody waits for the start.
  died.catch(() => undefined)
  try {
    await waitForDaemon(machine.reach, died, bootDeadlineMs)
    machine.firstShell.finish()
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

/** What lies outside the machine's folder while it runs. Its mounts are gone with its last process. */
interface Outside {
  egress: OpenWay | undefined
  group: Cgroup | undefined
}

async function launch(parts: LocalParts, spec: LocalSpec, boot: BootConfig | undefined): Promise<RunningMachine> {
  const { externalId, resources } = spec
  const places = placesOf(parts.layout, externalId)
  await makeRunFolder(places.run)
  // Written first, so that a crash at any later point leaves nothing that the next start does not find.
  await writeRunning(places, { cgroups: parts.cgroups?.pathsOf(externalId) ?? [] })
  const outside: Outside = { egress: undefined, group: undefined }
  const openWayFor = async (owned: BootConfig | undefined) => (owned ? openWay(parts, spec) : undefined)
  try {
    const made = await Promise.allSettled([
      openWayFor(boot).then((way) => (outside.egress = way)),
      Promise.resolve(parts.cgroups?.create(externalId, resources)).then((group) => (outside.group = group)),
    ])
    for (const step of made) if (step.status === 'rejected') throw step.reason
    return observe(parts, spec, boot, await spawnMachine(parts, spec, boot, outside.group), outside)
  } catch (error) {
    await clear(places, outside)
    throw error
  }
}

async function spawnMachine(
  parts: LocalParts,
  spec: LocalSpec,
  boot: BootConfig | undefined,
  group: Cgroup | undefined,
): Promise<ChildProcess> {
  const { externalId, resources, disk } = spec
  const { kit } = parts.layout
  const hostUid = spec.hostUid ?? undefined
  const places = placesOf(parts.layout, externalId)
  const view = await planView({ places, kit, files: parts.files(), disk, start: spec.start ?? undefined, hostUid })
  const [filter, nothing] = await Promise.all([open(seccompFile(kit)), open('/dev/null')])
  try {
    return launchMachine({
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
        hasOwner: boot !== undefined,
        command: [...(group ? [] : limitProcesses(resources)), ...withEarlyShell(daemon)],
      }),
    })
  } finally {
    // The child has its own copies.
    await Promise.all([filter.close(), nothing.close()])
  }
}

function observe(
  parts: LocalParts,
  spec: LocalSpec,
  boot: BootConfig | undefined,
  child: ChildProcess,
  { egress, group }: Outside,
): RunningMachine {
  const places = placesOf(parts.layout, spec.externalId)
  const stdio: readonly unknown[] = child.stdio
  const bootPipe = openBootPipe(stdio[descriptors.boot])
  if (boot) bootPipe.end(JSON.stringify(boot))
  const initPid = readInitPid(stdio[descriptors.status])
  const daemonPid = findDaemon(initPid)
  const ended = waitForEnd(child).then(async () => {
    const reason = machine.endReason ?? (await describeEnd(machine))
    await clear(places, machine).catch((error: unknown) =>
      parts.log.error('a machine left something behind', { error }),
    )
    return reason
  })
  const machine: RunningMachine = {
    spec,
    places,
    child,
    bootPipe,
    firstShell: openEarlyShell(stdio),
    group,
    initPid,
    daemonPid,
    output: keepTail([child.stdout, child.stderr]),
    ended,
    async reach() {
      const pid = await daemonPid()
      if (pid === undefined) throw new Error('the daemon has not started yet')
      return reachDaemon(pid)
    },
    serviceKey: boot?.serviceKey,
    egress,
    paused: false,
    endReason: undefined,
    endWasAsked: false,
  }
  return machine
}

/** A program that could not even be started has ended. */
function waitForEnd(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => child.pid === undefined && resolve())
  })
}

/** Where no group keeps count: set inside, so that it counts the machine's own processes only. */
function limitProcesses(resources: MachineResources): string[] {
  if (!existsSync(prlimit)) return []
  const most = maxProcesses(resources)
  return [prlimit, `--nproc=${most}:${most}`, '--']
}

/** The boot configuration goes through a pipe into the machine's memory: the key is on no disk. */
function openBootPipe(pipe: unknown): Duplex {
  if (!(pipe instanceof Duplex)) throw new Error('the machine has no pipe for its configuration')
  // It ended before it read: its end says why.
  return pipe.on('error', () => undefined)
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

function openWay(parts: LocalParts, { externalId, hostUid }: LocalSpec): Promise<OpenWay | undefined> {
  const { run } = placesOf(parts.layout, externalId)
  return parts.openEgress({ externalId, socketPath: join(run, 'egress.sock'), hostUid: hostUid ?? undefined })
}

async function clear({ running }: MachinePlaces, { egress, group }: Outside): Promise<void> {
  await egress?.close()
  if (group) await removeCgroups(group.paths)
  await rm(running, { force: true })
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
