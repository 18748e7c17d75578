import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Duplex, type Readable } from 'node:stream'
import { settleAll } from '../../kernel/settle-all.ts'
import type { BootConfig, MachineResources, WarmInput } from '../provider.ts'
import { bwrapArguments } from './bwrap-arguments.ts'
import { type Cgroup, maxProcesses, memoryLimitBytes, removeCgroups } from './cgroups/index.ts'
import { describeEnd } from './describe-end.ts'
import { openEarlyShell, withEarlyShell } from './early-shell.ts'
import { type Entry, enterMachine, prepareMachine } from './launch-machine.ts'
import { descriptors, type Launcher } from './launcher.ts'
import { type MachinePlaces, placesOf } from './layout.ts'
import type { LocalParts, OpenWay } from './local-parts.ts'
import { keepTail } from './output-tail.ts'
import { planView, type View } from './plan-view.ts'
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

/** Once; while nobody owns the machine there is none to open. */
export async function openWarmWay(parts: LocalParts, machine: RunningMachine): Promise<void> {
  machine.egress ??= await openWay(parts, machine.spec)
}

/** Gives a warm machine its boot configuration and its way out; then it starts like any other. */
export async function bootWarm(parts: LocalParts, machine: RunningMachine, boot: BootConfig): Promise<void> {
  machine.serviceKey = boot.serviceKey
  try {
    await openWarmWay(parts, machine)
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
  const { externalId } = spec
  const places = placesOf(parts.layout, externalId)
  await makeRunFolder(places.run)
  // Written first, so that a crash at any later point leaves nothing that the next start does not find.
  await writeRunning(places, { cgroups: parts.cgroups?.pathsOf(externalId) ?? [] })
  const outside: Outside = { egress: undefined, group: undefined }
  let launcher: Launcher | undefined
  try {
    const view = planViewOf(parts, spec)
    launcher = parts.launchers.take(view.mounts.length > 0)
    prepareMachine(launcher, view.mounts, view.folder)
    await settleAll([
      openWayFor(parts, spec, boot).then((way) => (outside.egress = way)),
      limit(parts, spec, launcher, outside),
    ])
    enterMachine(launcher, describeEntry(parts, spec, { boot, view, group: outside.group }))
    return observe(parts, spec, boot, launcher, outside)
  } catch (error) {
    launcher?.dismiss()
    await launcher?.ended
    await clear(places, outside)
    throw error
  }
}

/** Puts it under the limits while it mounts, where the kernel takes its time for this; where not, it will do so itself. */
async function limit(parts: LocalParts, spec: LocalSpec, { child }: Launcher, outside: Outside): Promise<void> {
  const group = await parts.cgroups?.create(spec.externalId, spec.resources)
  outside.group = group
  if (!group || group.joinsItself || child.pid === undefined) return
  for (const file of group.joinFiles) await writeFile(file, String(child.pid)).catch(unlessGone)
}

/** Its own end says why. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
}

function planViewOf({ layout, files }: LocalParts, { externalId, disk, start, hostUid }: LocalSpec): View {
  return planView({
    layout,
    places: placesOf(layout, externalId),
    files: files(),
    disk,
    start: start ?? undefined,
    hostUid: hostUid ?? undefined,
  })
}

function describeEntry(
  { bwrap }: LocalParts,
  { externalId, resources, hostUid }: LocalSpec,
  { boot, view, group }: { boot: BootConfig | undefined; view: View; group: Cgroup | undefined },
): Entry {
  return {
    bwrap,
    mounts: view.mounts,
    joinFiles: group?.joinsItself ? group.joinFiles : [],
    hostUid: hostUid ?? undefined,
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
  }
}

function observe(
  parts: LocalParts,
  spec: LocalSpec,
  boot: BootConfig | undefined,
  { child, ended: childEnded }: Launcher,
  { egress, group }: Outside,
): RunningMachine {
  const places = placesOf(parts.layout, spec.externalId)
  const stdio: readonly unknown[] = child.stdio
  const bootPipe = openBootPipe(stdio[descriptors.boot])
  if (boot) bootPipe.end(JSON.stringify(boot))
  const initPid = readInitPid(stdio[descriptors.status])
  const daemonPid = findDaemon(initPid)
  const ended = childEnded.then(async () => {
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
    async reach(onread) {
      const pid = await daemonPid()
      if (pid === undefined) throw new Error('the daemon has not started yet')
      return reachDaemon(pid, onread)
    },
    serviceKey: boot?.serviceKey,
    egress,
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

/** Nobody's machine has no way out. */
const openWayFor = async (parts: LocalParts, spec: LocalSpec, boot: BootConfig | undefined) =>
  boot ? openWay(parts, spec) : undefined

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
