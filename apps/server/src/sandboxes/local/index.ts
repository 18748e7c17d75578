import { mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import type { PartHealth } from '../../kernel/capability.ts'
import type { Logger } from '../../kernel/log/index.ts'
import { settleAll } from '../../kernel/settle-all.ts'
import type { BootConfig, MachineState, SandboxProvider, WorkspaceSource } from '../provider.ts'
import { checkBubblewrap } from './check-bubblewrap.ts'
import { dialPort } from './dial-port.ts'
import { execCommand } from './exec-command.ts'
import { fillWarm } from './fill-warm.ts'
import { createHostShell } from './host-shell.ts'
import { layoutOf, placesOf } from './layout.ts'
import type { OpenEgress } from './local-parts.ts'
import type { MachineFile } from './machine-files.ts'
import { createDiskMaker, makeDiskFolder } from './make-disk.ts'
import { measureMachine } from './measure-machine.ts'
import { prepareCheckout } from './prepare-checkout.ts'
import { type Host, prepareHost } from './prepare-host.ts'
import { reapMachines } from './reap.ts'
import type { RunningMachine } from './running-machine.ts'
import { readSpec, type WorkspaceStart, writeSpec } from './spec-file.ts'
import { bootWarm, launchMachineOf, openWarmWay, waitUntilServing, warmMachine } from './start-machine.ts'
import { endMachine, pause, resume } from './stop-machine.ts'
import { type OnNotice, watchLimits } from './watch-limits.ts'

export type { OpenEgress, OpenWay } from './local-parts.ts'
export type { MachineFile } from './machine-files.ts'

export interface LocalProviderOptions {
  readonly dataDir: string
  /** Names this node's limits among those of others on the host. */
  readonly nodeId: string
  readonly log: Logger
  /** Read-only parts of the host that every machine sees: Node, the daemon, the runtimes. */
  readonly files: () => readonly MachineFile[]
  readonly openEgress: OpenEgress
  /** A machine met a limit and goes on. */
  readonly onNotice: OnNotice
  /** The program, when it is not the one in the usual places. */
  readonly bwrap?: string
  /** Takes the host for one that can do less than it can. */
  readonly lesser?: boolean
}

/** The daemon itself gives the runtime five seconds. */
const stopGraceMs = 6_000
const healthMs = 15_000
const nobody = 65_534

/** Machines on this host, as bubblewrap sandboxes. Never unconfined: without bubblewrap there are none. */
export function createLocalProvider(options: LocalProviderOptions): SandboxProvider {
  const { dataDir, nodeId, log, files, openEgress, onNotice, bwrap = 'bwrap', lesser = false } = options
  const layout = layoutOf(dataDir)
  const running = new Map<string, RunningMachine>()
  const starting = new Map<string, Promise<void>>()
  /** Those of `starting` whose processes run, or will in a moment. */
  const launching = new Map<string, Promise<RunningMachine>>()
  /** Warm machines that wait for an owner. */
  const waiting = new Map<string, { machine: RunningMachine }>()
  const disks = createDiskMaker(layout)
  const shell = createHostShell()
  const watch = watchLimits(() => running.values(), onNotice)
  const check = remember(healthMs, () =>
    checkBubblewrap({ program: bwrap, ...(process.getuid?.() === 0 ? { uid: nobody } : {}) }),
  )
  let host: Promise<Host> | undefined
  const prepare = () => {
    host ??= prepareHost(layout, nodeId, lesser)
    return host
  }
  const requireRunning = (externalId: string): RunningMachine => {
    const machine = running.get(externalId)
    if (!machine) throw new Error(`the machine ${externalId} does not run`)
    return machine
  }

  async function start(...[externalId, boot, onExit]: Parameters<SandboxProvider['start']>): Promise<void> {
    const warm = waiting.get(externalId)?.machine
    waiting.delete(externalId)
    try {
      keep((warm && (await takeWarm(warm, boot))) ?? (await startAnew(externalId, boot)), onExit)
    } finally {
      launching.delete(externalId)
    }
  }

  /** Undefined when it ended instead; its disk is still there, and it is started like any other. */
  async function takeWarm(machine: RunningMachine, boot: BootConfig): Promise<RunningMachine | undefined> {
    launching.set(machine.spec.externalId, Promise.resolve(machine))
    try {
      await bootWarm(await openParts(), machine, boot)
      return machine
    } catch (error) {
      log.warn('a machine of the warm pool did not start for its session', { error })
      return undefined
    }
  }

  async function startAnew(externalId: string, boot: BootConfig): Promise<RunningMachine> {
    const launched = launch(externalId, boot)
    launching.set(externalId, launched)
    const machine = await launched
    await waitUntilServing(machine)
    return machine
  }

  async function launch(externalId: string, boot: BootConfig): Promise<RunningMachine> {
    const [host, spec] = await Promise.all([openHost(), requireSpec(externalId)])
    return launchMachineOf(host, spec, boot)
  }

  async function openHost() {
    const health = await check()
    if (health.status !== 'ok') throw new Error(`${health.detail} ${health.next}`)
    return openParts()
  }

  async function openParts() {
    const { cgroups, launchers } = await prepare()
    return { layout, log, cgroups, files, openEgress, launchers, bwrap }
  }

  async function requireSpec(externalId: string) {
    const spec = await readSpec(placesOf(layout, externalId))
    if (!spec) throw new Error(`the machine ${externalId} does not exist`)
    return spec
  }

  function keep(machine: RunningMachine, onExit: (reason: string) => void): void {
    const { externalId } = machine.spec
    running.set(externalId, machine)
    void machine.ended.then((reason) => {
      running.delete(externalId)
      if (!machine.endWasAsked) onExit(reason)
    })
  }

  /** A machine whose workspace could not be prepared begins with an empty one, which its daemon fills over the network. */
  async function startFrom(workspace: WorkspaceSource): Promise<WorkspaceStart | undefined> {
    try {
      const { branch, commit } = workspace
      return { checkout: await prepareCheckout(layout, workspace), branch, commit }
    } catch (error) {
      log.warn('a workspace could not be prepared', { error })
      return undefined
    }
  }

  async function stop(externalId: string): Promise<void> {
    // One that is still starting is stopped as soon as it can be; a start that failed has stopped itself.
    await starting.get(externalId)?.catch(() => undefined)
    const machine = running.get(externalId) ?? waiting.get(externalId)?.machine
    if (!machine) return
    machine.endWasAsked = true
    await endMachine(machine, 'stopped', stopGraceMs)
  }

  return {
    id: 'local',
    capabilities: { images: false, pause: true, limits: true },
    check,

    async create({ externalId, resources, hostUid, workspace }) {
      const places = placesOf(layout, externalId)
      const known = await readSpec(places)
      const warm = waiting.get(externalId)
      if (known && !(warm && workspace && known.start === null)) return
      const { disk } = await prepare()
      const start = workspace && (await startFrom(workspace))
      if (known && warm) {
        const { machine } = warm
        // Its owner is known from here on: its way out is opened meanwhile.
        await settleAll([start && fillWarm(shell, machine, start), openWarmWay(await openParts(), machine)])
        return
      }
      // A folder without a spec is what a killed creation left.
      await rm(places.folder, { recursive: true, force: true })
      await mkdir(places.folder, { mode: 0o711 })
      if (disk === 'image') {
        await mkdir(places.disk, { mode: 0o711 })
        await disks.make(places.image, resources.diskGb)
      }
      if (disk === 'folder') await makeDiskFolder(places, hostUid, start)
      await writeSpec(places, { externalId, resources, hostUid: hostUid ?? null, disk, start: start ?? null })
    },

    async start(externalId, boot, onExit) {
      if (running.has(externalId)) return
      const begun = starting.get(externalId) ?? start(externalId, boot, onExit)
      starting.set(externalId, begun)
      await begun.finally(() => starting.delete(externalId))
    },

    isWarm: (externalId) => waiting.has(externalId),

    async warm(externalId, { runtime, signal, onExit }) {
      shell.open()
      const machine = await warmMachine(await openHost(), await requireSpec(externalId), { runtime, signal })
      waiting.set(externalId, { machine })
      void machine.ended.then((reason) => {
        // Claimed, its end is told to whoever started it.
        if (waiting.delete(externalId) && !machine.endWasAsked) onExit(reason)
      })
    },

    connect: async (externalId, onread) => requireRunning(externalId).reach(onread),
    dialPort: async (externalId, port, onread) => dialPort(requireRunning(externalId), port, onread),
    async exec(externalId, request) {
      const launched = request.early && request.input === undefined ? launching.get(externalId) : undefined
      if (launched) return (await launched).firstShell.run(request)
      const { reach, serviceKey = '' } = requireRunning(externalId)
      return execCommand(await reach(), serviceKey, request)
    },
    pause: async (externalId) => pause(requireRunning(externalId)),
    resume: async (externalId) => resume(requireRunning(externalId)),
    stop,

    async destroy(externalId) {
      await stop(externalId)
      await rm(placesOf(layout, externalId).folder, { recursive: true, force: true })
    },

    async list() {
      const names = await readdir(layout.machines).catch((): string[] => [])
      return names.map((externalId): MachineState => {
        const machine = running.get(externalId) ?? waiting.get(externalId)?.machine
        return { externalId, status: machine ? (machine.paused ? 'paused' : 'running') : 'stopped' }
      })
    },

    async stats(externalId) {
      const places = placesOf(layout, externalId)
      const spec = await readSpec(places)
      return spec && measureMachine(spec, places, running.get(externalId))
    },

    async reap() {
      const reaped = await reapMachines(layout)
      if (reaped.length > 0) log.warn('machines of a killed platform were ended', { machines: reaped })
    },

    async close() {
      watch.stop()
      disks.stop()
      await Promise.all([...running.keys(), ...starting.keys(), ...waiting.keys()].map(stop))
      const { cgroups, launchers } = (await host) ?? {}
      await Promise.all([launchers?.stop(), shell.stop()])
      // Another process of this node may have machines below it still.
      for (const path of cgroups?.pathsOf('') ?? []) await rmdir(path).catch(() => undefined)
    },
  }
}

/** Asked at most once in the given time, and by everybody together. */
function remember(forMs: number, ask: () => Promise<PartHealth>): () => Promise<PartHealth> {
  let asked: { answer: Promise<PartHealth>; untilMs: number } | undefined
  return () => {
    if (!asked || asked.untilMs < performance.now()) asked = { answer: ask(), untilMs: performance.now() + forMs }
    return asked.answer
  }
}
