import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { sandboxdFolder } from '@svc/sandboxd'
import type { Capability } from '../kernel/capability.ts'
import { problem } from '../kernel/http/index.ts'
import type { Kernel, OnStop } from '../kernel/kernel.ts'
import { createKeyedLock } from '../kernel/keyed-lock.ts'
import { type CreateMachineInput, createMachine } from './create-machine.ts'
import { createDaemonClients } from './daemon-clients.ts'
import { createDockerProvider } from './docker/index.ts'
import type { Egress } from './egress/index.ts'
import { machineChanged } from './events.ts'
import { createFolderKeeper } from './keep-folders.ts'
import { createLocalProvider, type MachineFile, type OpenEgress, type OpenWay } from './local/index.ts'
import { measureMachine } from './measure-machine.ts'
import { readNodeId } from './node-id.ts'
import { noteLimit } from './note-limit.ts'
import type { Parts } from './parts.ts'
import type { BootConfig, MachineStats, SandboxProvider, WarmRuntime } from './provider.ts'
import { parkMachines, repairMachines } from './repair-machines.ts'
import {
  connectPort,
  type DaemonAnswer,
  type DaemonRequest,
  openMachine,
  requestDaemon,
  signHeaders,
} from './request-daemon.ts'
import { startMachine } from './start-machine.ts'
import { destroyMachine, stopMachine } from './stop-machine.ts'
import { findByExternalId, findMachine, forgetMachine, type MachineRow } from './store.ts'
import { createTouches } from './touch-machines.ts'
import type { UserContext } from './user-context.ts'
import { createWarmPool } from './warm-pool.ts'

export { isClosedPort } from './closed-ports.ts'
export { type CreateMachineInput, defaultResources } from './create-machine.ts'
export { machineChanged } from './events.ts'
export { isExternalId } from './external-id.ts'
export type { MachineFile } from './local/index.ts'
export { readNodeId } from './node-id.ts'
export { PortStream } from './port-stream.ts'
export type * from './provider.ts'
export type { DaemonAnswer, DaemonRequest } from './request-daemon.ts'
export type { MachineRow } from './store.ts'
export type { UserContext } from './user-context.ts'

export interface SandboxesOptions {
  readonly onStop: OnStop
  /** The only way out of machines. */
  readonly egress: Pick<Egress, 'open' | 'readCertificate'>
  /** What machines see of the host besides Node and the daemon: the runtimes and their skills. */
  readonly machineFiles?: () => readonly MachineFile[]
  /** What runs in machines of the warm pool before anybody owns them, besides the daemon. */
  readonly warmRuntime?: () => WarmRuntime | undefined
  /** Further kinds of machines, besides `local` and `docker`. */
  readonly providers?: readonly SandboxProvider[]
}

/** Machines that agents run in. */
export interface Sandboxes {
  /** Enabled provider ids, default first. */
  readonly providers: readonly string[]
  requireProvider(id: string): SandboxProvider
  findMachine(sandboxId: string): Promise<MachineRow | undefined>
  findByExternalId(externalId: string): Promise<MachineRow | undefined>
  /** Row and disk; repeating it changes nothing. */
  createMachine(input: CreateMachineInput): Promise<MachineRow>
  /** Resolves when the daemon answers. One that ends by itself becomes `error` with a detail, and `machineChanged` tells. */
  startMachine(sandboxId: string, boot: Omit<BootConfig, 'serviceKey'>): Promise<MachineRow>
  stopMachine(sandboxId: string): Promise<void>
  destroyMachine(sandboxId: string): Promise<void>
  /** Destroys it and forgets it, so that its session gets a new one when it starts again. */
  replaceMachine(sandboxId: string): Promise<void>
  /** What a running machine uses; undefined for one that does not run here, or does not tell in time. */
  measureMachine(machine: Pick<MachineRow, 'provider' | 'externalId' | 'nodeId'>): Promise<MachineStats | undefined>
  /** To the daemon, with the machine's key and the caller's signed context; the body of the answer streams. */
  request(externalId: string, request: DaemonRequest): Promise<DaemonAnswer>
  /** What the daemon asks for: the machine's key, and on whose behalf. Only ever sent to the daemon. */
  daemonHeaders(externalId: string, context: UserContext): Promise<Record<string, string>>
  /** A stream to a port inside; 8000 is the daemon's own. */
  connect(externalId: string, port: number): Promise<Duplex>
  /** Somebody used it. Written every few seconds. */
  touch(sandboxId: string): void
  readonly machineChanged: typeof machineChanged
  /** Before anybody is served: ends and cleans what a crash left, and begins to fill the warm pool. */
  repair(): Promise<void>
}

export function createSandboxes(kernel: Kernel, options: SandboxesOptions): Capability & Sandboxes {
  const { config, log, database } = kernel
  const nodeId = readNodeId(config.dataDir)
  const keepFolders = createFolderKeeper(join(config.dataDir, 'sandboxes', 'programs'))
  const files = () => keepFolders([...daemonFiles(), ...(options.machineFiles?.() ?? [])])
  const local = createLocalProvider({
    dataDir: config.dataDir,
    nodeId,
    log,
    files,
    openEgress: (machine) => openEgress(parts, options, machine),
    onNotice: (externalId, detail) => noteLimit(parts, externalId, detail),
  })
  const docker = createDockerProvider({
    dataDir: config.dataDir,
    nodeId,
    socketPath: config.dockerSocket,
    baseImage: config.sandboxImage,
    buildNetwork: config.dockerBuildNetwork,
    files,
    openEgress: (machine) => openEgress(parts, options, machine),
  })
  const known = [local, docker, ...(options.providers ?? [])]
  const enabled = config.sandboxProviders.flatMap((id) => known.find((provider) => provider.id === id) ?? [])
  const requireProvider = (id: string) => {
    const provider = enabled.find((one) => one.id === id)
    if (provider) return provider
    throw problem('sandbox_provider_unavailable', {
      say: `The sandbox provider "${id}" is not enabled here.`,
      next: `Use one of: ${enabled.map((one) => one.id).join(', ')}; or add it to SVC_SANDBOX_PROVIDERS.`,
    })
  }
  const clients = createDaemonClients()
  const parts: Parts = {
    kernel,
    nodeId,
    uids: process.getuid?.() === 0 ? chooseUids(config.sandboxUidBase, nodeId) : undefined,
    requireProvider,
    defaultProvider: enabled[0]?.id ?? 'local',
    claimWarm: (input, provider) => pool.claim(input, provider),
    withLock: createKeyedLock(),
    clients,
  }
  const pool = createWarmPool(() => parts, {
    size: config.warmSandboxes,
    runtime: options.warmRuntime ?? (() => undefined),
  })
  // Another node, or a step that failed half-way, may have changed it.
  const dropEnded = ({ external_id, status }: { external_id: string; status: MachineRow['status'] }) => {
    if (status !== 'active') clients.drop(external_id)
  }
  kernel.events.subscribe(machineChanged, dropEnded, { onGap: () => clients.forgetAll() })
  const touches = createTouches(kernel)
  options.onStop(async () => {
    await pool.stop()
    await touches.stop()
    clients.dropAll()
    for (const provider of enabled) await provider.close()
    await parkMachines(parts)
  })

  return {
    routes: [],
    checks: enabled.map((provider) => ({
      name: `sandboxes_${provider.id}`,
      required: false,
      read: () => provider.check(),
    })),
    providers: enabled.map(({ id }) => id),
    requireProvider,
    findMachine: (sandboxId) => findMachine(database.db, sandboxId),
    findByExternalId: (externalId) => findByExternalId(database.db, externalId),
    createMachine: (input) => parts.withLock(input.sandboxId, () => createMachine(parts, input)),
    startMachine: (sandboxId, boot) => parts.withLock(sandboxId, () => startMachine(parts, sandboxId, boot)),
    stopMachine: (sandboxId) => parts.withLock(sandboxId, () => stopMachine(parts, sandboxId)),
    destroyMachine: (sandboxId) => parts.withLock(sandboxId, () => destroyMachine(parts, sandboxId)),
    replaceMachine: (sandboxId) =>
      parts.withLock(sandboxId, async () => {
        await destroyMachine(parts, sandboxId)
        await forgetMachine(database.db, sandboxId)
      }),
    measureMachine: (machine) => measureMachine(parts, machine),
    request: async (externalId, request) => requestDaemon(parts, await openMachine(parts, externalId), request),
    daemonHeaders: async (externalId, context) => signHeaders(parts, await openMachine(parts, externalId), context),
    connect: async (externalId, port) => connectPort(await openMachine(parts, externalId), port),
    touch: touches.touch,
    machineChanged,
    async repair() {
      await repairMachines(parts, enabled)
      pool.fill()
    },
  }
}

const uidCount = 10_000
const uidBlocks = 100

/** A block of its own for each data directory, so that two platforms on one host hardly ever meet. */
function chooseUids(base: number, nodeId: string) {
  const block = Number.parseInt(nodeId.slice(-6), 16) % uidBlocks
  return { firstUid: base + block * uidCount, count: uidCount }
}

const daemonFiles = (): MachineFile[] => [
  { hostPath: process.execPath, machinePath: '/opt/svc/node/bin/node' },
  { hostPath: sandboxdFolder, machinePath: '/opt/svc/sandboxd', isBuiltInPlace: true },
]

/** A machine that nobody owns has no way out. */
async function openEgress(
  { kernel }: Parts,
  { egress }: SandboxesOptions,
  { externalId, socketPath, hostUid }: Parameters<OpenEgress>[0],
): Promise<OpenWay | undefined> {
  const row = await findByExternalId(kernel.database.db, externalId)
  if (!row?.projectId) return undefined
  const { sandboxId, projectId } = row
  // Never through something that is there already: it could be a link.
  const certificate = await egress.readCertificate(projectId)
  await writeFile(join(dirname(socketPath), 'ca.pem'), certificate, { mode: 0o644, flag: 'wx' })
  const uid = hostUid === undefined ? {} : { uid: hostUid }
  return egress.open({ socketPath, sandboxId, sessionId: sandboxId, projectId, ...uid })
}
