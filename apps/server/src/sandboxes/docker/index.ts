import { readdir, rm } from 'node:fs/promises'
import { z } from 'zod'
import type { PartHealth } from '../../kernel/capability.ts'
import { execCommand } from '../local/exec-command.ts'
import type { MachineFile, OpenEgress } from '../local/index.ts'
import type { MachineState, SandboxProvider } from '../provider.ts'
import { BuildError } from '../templates/build-error.ts'
import { buildImage, hasImage, removeImage } from './build-image.ts'
import { type FoundEngine, findEngine, isFound } from './check-engine.ts'
import { containerConfig, nodeLabel } from './container-config.ts'
import { containersFolder, makeMachineFolder, makeRunFolders, placesOf, readMachineSpec } from './machine-folder.ts'
import { measureContainer } from './measure-container.ts'
import { removeContainer } from './run-container.ts'
import { containerName, daemonCommand, type RunningContainer, startMachine } from './start-machine.ts'
import { verifyImage } from './verify-image.ts'
import { watchDisks } from './watch-disks.ts'

export interface DockerProviderOptions {
  readonly dataDir: string
  /** Tells this node's containers from those of others that use the same engine. */
  readonly nodeId: string
  /** The engine's socket; without one the usual places are looked at. */
  readonly socketPath?: string | undefined
  /** What the default template is. */
  readonly baseImage: string
  readonly buildNetwork: 'none' | 'default'
  readonly files: () => readonly MachineFile[]
  readonly openEgress: OpenEgress
}

export interface DockerProvider extends SandboxProvider {
  readonly baseImage: string
  hasImage(name: string): Promise<boolean>
  removeImage(name: string): Promise<boolean>
  reap(): Promise<void>
  /** Looks at once for machines that filled their disk; otherwise done now and then. */
  checkDisks(): Promise<void>
}

const Listed = z.array(z.looseObject({ Id: z.string() }))
const healthMs = 15_000
const stopGraceSeconds = 3
const nobody = 65_534

/** Machines as containers of Docker, Podman or whatever else speaks Docker's API on a socket of this host. */
export function createDockerProvider(options: DockerProviderOptions): DockerProvider {
  const { dataDir, nodeId, baseImage, buildNetwork, files, openEgress } = options
  const running = new Map<string, RunningContainer>()
  const starting = new Map<string, Promise<void>>()
  const disks = watchDisks(() => running.values(), end)
  let asked: { answer: Promise<FoundEngine | PartHealth>; untilMs: number } | undefined

  function find(): Promise<FoundEngine | PartHealth> {
    if (!asked || asked.untilMs < performance.now()) {
      asked = { answer: findEngine(options.socketPath), untilMs: performance.now() + healthMs }
    }
    return asked.answer
  }

  async function requireEngine(): Promise<FoundEngine> {
    const found = await find()
    if (isFound(found)) return found
    asked = undefined
    throw new BuildError('provider', `${found.detail ?? 'There is no container engine.'} ${found.next ?? ''}`.trim())
  }

  function requireRunning(externalId: string): RunningContainer {
    const machine = running.get(externalId)
    if (!machine) throw new Error(`the machine ${externalId} does not run`)
    return machine
  }

  /** The first reason counts: whoever is second finds the machine ended. */
  async function end(machine: RunningContainer, reason: string): Promise<void> {
    machine.endReason ??= reason
    const { engine } = await requireEngine()
    await removeContainer(engine, machine.container.id)
    await machine.ended
  }

  async function start(...[externalId, boot, onExit]: Parameters<SandboxProvider['start']>): Promise<void> {
    const found = await requireEngine()
    const places = placesOf(dataDir, externalId)
    const spec = await readMachineSpec(places)
    if (!spec) throw new Error(`the machine ${externalId} does not exist`)
    const machine = await startMachine({ found, nodeId, files, openEgress }, spec, places, boot)
    running.set(externalId, machine)
    void machine.ended.then(async (reason) => {
      running.delete(externalId)
      await machine.egress?.close()
      await removeContainer(found.engine, machine.container.id).catch(() => undefined)
      if (machine.endReason !== stopped) onExit(machine.endReason ?? reason)
    })
  }

  async function stop(externalId: string): Promise<void> {
    // One that is still starting is stopped as soon as it can be; a start that failed has stopped itself.
    await starting.get(externalId)?.catch(() => undefined)
    const machine = running.get(externalId)
    if (!machine) return
    machine.endReason ??= stopped
    const { engine } = await requireEngine()
    const query = { t: String(stopGraceSeconds) }
    // A frozen machine hears nothing.
    if (machine.paused)
      await engine.ask(`/containers/${machine.container.id}/unpause`, { method: 'POST' }).catch(() => undefined)
    // Whatever a polite stop leaves is removed by force.
    await engine.ask(`/containers/${machine.container.id}/stop`, { method: 'POST', query }).catch(() => undefined)
    await end(machine, stopped)
  }

  async function freeze(externalId: string, paused: boolean): Promise<void> {
    const machine = requireRunning(externalId)
    if (machine.paused === paused) return
    const { engine } = await requireEngine()
    await engine.ask(`/containers/${machine.container.id}/${paused ? 'pause' : 'unpause'}`, { method: 'POST' })
    machine.paused = paused
  }

  return {
    id: 'docker',
    capabilities: { images: true, pause: true, limits: true },
    baseImage,

    async check() {
      const found = await find()
      return isFound(found) ? { status: 'ok' } : found
    },

    async create({ externalId, image, entrypoint, resources, hostUid }) {
      const places = placesOf(dataDir, externalId)
      if (await readMachineSpec(places)) return
      const uid = hostUid ?? ownUid()
      await makeMachineFolder(places, { externalId, image: image ?? baseImage, entrypoint, uid, resources })
    },

    async start(externalId, boot, onExit) {
      if (running.has(externalId)) return
      const begun = starting.get(externalId) ?? start(externalId, boot, onExit)
      starting.set(externalId, begun)
      await begun.finally(() => starting.delete(externalId))
    },

    connect: (externalId, onread) => requireRunning(externalId).reach(onread),
    async exec(externalId, request) {
      const { reach, serviceKey } = requireRunning(externalId)
      return execCommand(await reach(), serviceKey, request)
    },
    pause: (externalId) => freeze(externalId, true),
    resume: (externalId) => freeze(externalId, false),
    stop,

    async destroy(externalId) {
      await stop(externalId)
      const places = placesOf(dataDir, externalId)
      const found = await find()
      if (isFound(found)) await removeContainer(found.engine, containerName(externalId))
      await rm(places.folder, { recursive: true, force: true })
    },

    async list() {
      const names = await readdir(containersFolder(dataDir)).catch((): string[] => [])
      return names.map((externalId): MachineState => {
        const machine = running.get(externalId)
        return { externalId, status: machine ? (machine.paused ? 'paused' : 'running') : 'stopped' }
      })
    },

    async stats(externalId) {
      const places = placesOf(dataDir, externalId)
      if (!(await readMachineSpec(places))) return undefined
      const { engine } = await requireEngine()
      return measureContainer(engine, running.get(externalId)?.container.id, places)
    },

    async reap() {
      const found = await find()
      if (!isFound(found)) return
      const filters = JSON.stringify({ label: [`${nodeLabel}=${nodeId}`] })
      const left = Listed.parse(await found.engine.ask('/containers/json', { query: { all: '1', filters } }))
      for (const { Id } of left) await removeContainer(found.engine, Id)
    },

    async hasImage(name) {
      const { engine } = await requireEngine()
      return hasImage(engine, name)
    },
    async removeImage(name) {
      const { engine } = await requireEngine()
      return removeImage(engine, name)
    },

    async build(input, onLine, signal) {
      const { engine, isRootless, isPodman } = await requireEngine()
      await buildImage({ engine, onLine, signal, network: buildNetwork, isPodman }, input)
      onLine('trying the image')
      const externalId = `verify${input.name.slice(-12)}`
      const places = placesOf(dataDir, externalId)
      const resources = { cpu: 1, memoryGb: 1, diskGb: 1 }
      const spec = { externalId, image: input.name, uid: ownUid(), resources }
      try {
        await makeMachineFolder(places, spec)
        await makeRunFolders(places, spec, noBoot)
        const made = { spec, places, files: files(), nodeId, isRootless, command: daemonCommand }
        await verifyImage(engine, containerName(externalId), containerConfig(made))
      } catch (error) {
        // What cannot run must not look as if it were built.
        await removeImage(engine, input.name)
        throw error
      } finally {
        await rm(places.folder, { recursive: true, force: true })
      }
      return input.name
    },

    checkDisks: () => disks.look(),

    async close() {
      disks.stop()
      await Promise.all([...new Set([...running.keys(), ...starting.keys()])].map(stop))
    },
  }
}

const stopped = 'stopped'
const noBoot = { serviceKey: '', runtime: undefined, env: {}, files: [], repository: undefined }

/** A platform that is root gives each machine a user of its own; any other has only its own user to give. */
function ownUid(): number {
  const own = process.getuid?.() ?? nobody
  return own === 0 ? nobody : own
}
