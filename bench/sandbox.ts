import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { json, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger, createMemoryWriter } from '../apps/server/src/kernel/log/index.ts'
import {
  baseImage,
  startPodman,
  type TestPodman,
  whyNoPodman,
} from '../apps/server/src/sandboxes/docker/testing/podman.ts'
import { newExternalId } from '../apps/server/src/sandboxes/external-id.ts'
import { bwrapArguments } from '../apps/server/src/sandboxes/local/bwrap-arguments.ts'
import { createLocalProvider } from '../apps/server/src/sandboxes/local/index.ts'
import { layoutOf } from '../apps/server/src/sandboxes/local/layout.ts'
import { runProgram } from '../apps/server/src/sandboxes/local/run-program.ts'
import { alternate, formatTable } from './support/rounds.ts'

/**
 * From nothing to the end of a first command in a local sandbox (disk, user, limits, filter, view), beside bubblewrap
 * alone running the same command with the host as its view, which is what the bound is about, beside bubblewrap with the
 * same view and filter, and beside `podman run` of it. The daemon boots
 * meanwhile; how long until it serves is shown too, beside bubblewrap alone running the same daemon, and for a machine
 * that was warm.
 */

const rounds = 11
const mostRatio = 3
const serviceKey = 'bench'
const boot = { serviceKey, runtime: undefined, env: {}, files: [], repository: undefined }
const resources = { cpu: 2, memoryGb: 1, diskGb: 2 }
const daemon = ['/opt/svc/node/bin/node', '/opt/svc/sandboxd/sandboxd.mjs']
/** The built daemon; a bundled program does not know where its packages lie. */
const sandboxdFolder = join(process.cwd(), 'apps', 'sandboxd', 'dist')
const machineFiles = [
  { hostPath: process.execPath, machinePath: '/opt/svc/node/bin/node' },
  { hostPath: sandboxdFolder, machinePath: '/opt/svc/sandboxd' },
]
const never = new AbortController().signal

const warmSide = 'local sandbox that was warm: claim, first command'

/** Resolves when the command has ended, with what is to be done before the next round. */
type Side = () => Promise<() => Promise<void>>

export async function run(): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'svc-bench-sandbox-'))
  const provider = createLocalProvider({
    dataDir: scratch,
    nodeId: newExternalId(),
    log: createLogger({ writer: createMemoryWriter() }),
    files: () => machineFiles,
    openEgress: async () => undefined,
    onNotice: () => undefined,
  })
  let uid = 1_900_000_000
  const create = async () => {
    const externalId = newExternalId()
    const hostUid = process.getuid?.() === 0 ? uid++ : undefined
    await provider.create({ externalId, projectId: '', resources, image: undefined, workspace: undefined, hostUid })
    return externalId
  }
  const firstCommand: Side = async () => {
    const externalId = await create()
    const started = provider.start(externalId, boot, () => undefined)
    await provider.exec(externalId, { argv: ['true'], early: true })
    return async () => {
      await started
      await provider.destroy(externalId)
    }
  }
  const served: Side = async () => {
    const externalId = await create()
    await provider.start(externalId, boot, () => undefined)
    await provider.exec(externalId, { argv: ['true'] })
    return () => provider.destroy(externalId)
  }
  const warm: string[] = []
  for (let count = 0; count <= 2 * rounds + 1; count += 1) {
    const externalId = await create()
    await provider.warm?.(externalId, { runtime: undefined, signal: never, onExit: () => undefined })
    warm.push(externalId)
  }
  const claimedFirst: Side = async () => {
    const externalId = warm.pop() ?? ''
    const started = provider.start(externalId, boot, () => undefined)
    await provider.exec(externalId, { argv: ['true'], early: true })
    return async () => {
      await started
      await provider.destroy(externalId)
    }
  }
  const claimed: Side = async () => {
    const externalId = warm.pop() ?? ''
    await provider.start(externalId, boot, () => undefined)
    await provider.exec(externalId, { argv: ['true'] })
    return () => provider.destroy(externalId)
  }
  const podman = await findPodman()
  const sides: Record<string, Side> = {
    'local sandbox: create, first command': firstCommand,
    'bubblewrap alone, the host as its view: the command': () => plainCommand(),
    'bubblewrap alone, same view and filter: the command': () => bareCommand(reachable),
    ...(typeof podman === 'string' ? {} : { 'podman run: the command': () => podmanCommand(podman) }),
    [warmSide]: claimedFirst,
    'local sandbox: create, command by its daemon': served,
    'bubblewrap alone: the same daemon, the command': () => bareDaemon(scratch),
    'local sandbox that was warm: claim, command by its daemon': claimed,
  }
  // A plain user gets there without a mount: whoever starts bubblewrap alone would have chosen such a place.
  const reachable = await mkdtemp(join(tmpdir(), 'svc-bench-bare-'))
  await chmod(reachable, 0o755)
  await cp(layoutOf(scratch).kit, join(reachable, 'kit'), { recursive: true, verbatimSymlinks: true })
  try {
    const times = await alternate(rounds, Object.values(sides), measure)
    const [mine = 0, bare = 1, sameView = 1] = times
    const rows = Object.keys(sides).map((name, index) => {
      const tookMs = times[index] ?? 0
      return [name, `${tookMs.toFixed(1)} ms`, (tookMs / bare).toFixed(2)]
    })
    console.log(formatTable(['what', `median of ${rounds}`, 'times bubblewrap'], rows))
    if (typeof podman === 'string') console.log(`podman run is left out: ${podman}`)
    const pooled = times[Object.keys(sides).indexOf(warmSide)] ?? 0
    const say = (what: string, tookMs: number) => {
      const ratio = tookMs / bare
      console.log(`${what}: ${ratio.toFixed(2)} times bubblewrap ${ratio <= mostRatio ? 'ok' : 'ABOVE'}`)
    }
    console.log(`\npromise: create to first command at most ${mostRatio} times bubblewrap alone`)
    say('with a machine of the pool', pooled)
    say('from nothing', mine)
    console.log(`from nothing, beside bubblewrap with the same view and filter: ${(mine / sameView).toFixed(2)} times`)
    if (Math.max(pooled, mine) / bare > mostRatio) process.exitCode = 1
  } finally {
    await provider.close()
    if (typeof podman !== 'string') await podman.stop()
    for (const folder of [scratch, reachable]) await rm(folder, { recursive: true, force: true })
  }
}

/** Cleaning up is not part of the time. */
async function measure(side: Side): Promise<number> {
  const startedAt = performance.now()
  const clean = await side()
  const tookMs = performance.now() - startedAt
  await clean()
  return tookMs
}

const view = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp']
const apart = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-net',
  '--die-with-parent',
]

/** Everything that a machine's bubblewrap is asked for, by a user like a machine's; the disk is a folder made before. */
async function bareCommand(folder: string): Promise<() => Promise<void>> {
  const kit = join(folder, 'kit')
  const [filter, nothing] = [openSync(join(kit, 'seccomp.bpf'), 'r'), openSync('/dev/null', 'r')]
  for (const name of ['workspace', 'home', 'run']) mkdirSync(join(folder, name), { recursive: true })
  const args = bwrapArguments({
    workspace: join(folder, 'workspace'),
    home: join(folder, 'home'),
    run: join(folder, 'run'),
    kit,
    files: machineFiles,
    hostname: 'bare',
    memoryBytes: resources.memoryGb * 1024 ** 3,
    statusFd: 3,
    seccompFd: 4,
    bootFd: 5,
    hasOwner: true,
    command: ['true'],
  })
  const child = spawn('bwrap', args, {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', filter, nothing],
    ...(process.getuid?.() === 0 ? { uid: 1_899_999_999, gid: 1_899_999_999 } : {}),
  })
  closeSync(filter)
  closeSync(nothing)
  const [, said, complained, status] = child.stdio
  for (const stream of [said, status]) if (stream instanceof Readable) stream.resume()
  const why = complained instanceof Readable ? text(complained) : ''
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(await why)
  return async () => undefined
}

async function plainCommand(): Promise<() => Promise<void>> {
  const { code, output } = await runProgram('bwrap', [...apart, ...view, 'true'])
  if (code !== 0) throw new Error(output)
  return async () => undefined
}

async function bareDaemon(scratch: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(scratch, 'bare-'))
  for (const name of ['run', 'home', 'workspace']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'run', 'boot.json'), JSON.stringify(boot))
  const own = ['--tmpfs', '/opt', '--tmpfs', '/run', '--tmpfs', '/home', '--bind', join(folder, 'run'), '/run/svc']
  const parts = ['--ro-bind', process.execPath, daemon[0] ?? '', '--ro-bind', sandboxdFolder, '/opt/svc/sandboxd']
  const disk = ['--bind', join(folder, 'home'), '/home/agent', '--setenv', 'SVC_WORKSPACE_DIR', '/home/agent']
  const child = spawn('bwrap', [...apart, ...view, ...own, ...parts, ...disk, ...daemon], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH },
  })
  const ended = once(child, 'close')
  const socket = join(folder, 'run', 'host.sock')
  while (!(await canConnect(socket))) await sleep(2)
  await execThrough(socket)
  return async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
}

function canConnect(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

async function execThrough(socketPath: string): Promise<void> {
  const sent = request({
    socketPath,
    method: 'POST',
    path: '/svc/exec',
    headers: { authorization: `Bearer ${serviceKey}`, 'content-type': 'application/json' },
  })
  sent.end(JSON.stringify({ argv: ['true'] }))
  const [response] = await once(sent, 'response')
  await json(response)
  if (response.statusCode !== 200) throw new Error(`the daemon answered ${response.statusCode}`)
}

/** An engine of its own, with an image made from programs of this host; or why there is none. */
async function findPodman(): Promise<TestPodman | string> {
  const why = await whyNoPodman()
  if (why !== undefined) return why
  try {
    const podman = await startPodman()
    await podmanCommand(podman)
    return podman
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=512:512']

async function podmanCommand({ options }: TestPodman): Promise<() => Promise<void>> {
  const args = [...options, 'run', '--rm', '--network', 'none', ...limits, baseImage, 'true']
  const { code, output } = await runProgram('podman', args, { timeoutMs: 60_000 })
  if (code !== 0) throw new Error(output)
  return async () => undefined
}
