import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { sandboxdFolder } from '@svc/sandboxd'
import { createLogger, createMemoryWriter } from '../apps/server/src/kernel/log/index.ts'
import { newExternalId } from '../apps/server/src/sandboxes/external-id.ts'
import { createLocalProvider } from '../apps/server/src/sandboxes/local/index.ts'
import { runProgram } from '../apps/server/src/sandboxes/local/run-program.ts'
import { alternate, formatTable } from './support/rounds.ts'

/**
 * From nothing to the end of a first command in a local sandbox (disk, user, limits, filter, daemon), beside bubblewrap
 * alone running the same daemon and the same command, and beside `podman run` where it works.
 */

const rounds = 7
const serviceKey = 'bench'
const boot = { serviceKey, runtime: undefined, env: {}, files: [], repository: undefined }
const resources = { cpu: 2, memoryGb: 1, diskGb: 2 }
const daemon = ['/opt/svc/node/bin/node', '/opt/svc/sandboxd/sandboxd.mjs']

const never = new AbortController().signal

type Side = () => Promise<() => Promise<void>>

export async function run(): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'svc-bench-sandbox-'))
  const provider = createLocalProvider({
    dataDir: scratch,
    nodeId: newExternalId(),
    log: createLogger({ writer: createMemoryWriter() }),
    files: () => [
      { hostPath: process.execPath, machinePath: '/opt/svc/node/bin/node' },
      { hostPath: sandboxdFolder, machinePath: '/opt/svc/sandboxd' },
    ],
    openEgress: async () => undefined,
    onNotice: () => undefined,
  })
  let uid = 1_900_000_000
  const ours: Side = async () => {
    const externalId = newExternalId()
    const hostUid = process.getuid?.() === 0 ? uid++ : undefined
    await provider.create({ externalId, projectId: '', resources, image: undefined, workspace: undefined, hostUid })
    await provider.start(externalId, boot, () => undefined)
    await provider.exec(externalId, { argv: ['true'] })
    return () => provider.destroy(externalId)
  }
  const warm: string[] = []
  const warmUp = async () => {
    const externalId = newExternalId()
    const hostUid = process.getuid?.() === 0 ? uid++ : undefined
    await provider.create({ externalId, projectId: '', resources, image: undefined, workspace: undefined, hostUid })
    await provider.warm?.(externalId, { runtime: undefined, signal: never, onExit: () => undefined })
    warm.push(externalId)
  }
  for (let count = 0; count <= rounds; count += 1) await warmUp()
  const claimed: Side = async () => {
    const externalId = warm.pop() ?? ''
    await provider.start(externalId, boot, () => undefined)
    await provider.exec(externalId, { argv: ['true'] })
    return () => provider.destroy(externalId)
  }
  const podman = await findPodman()
  const sides: Record<string, Side> = {
    'local sandbox: create, start, first command': ours,
    'bubblewrap alone: the same daemon, first command': () => bareDaemon(scratch),
    'local sandbox that was warm: claim, first command': claimed,
    'bubblewrap alone: the command and nothing else': () => bareCommand(),
    ...(podman ? { 'podman run: the command and nothing else': () => podmanCommand(podman) } : {}),
  }
  try {
    const times = await alternate(rounds, Object.values(sides), measure)
    const [mine = 0, bare = 1] = times
    const rows = Object.keys(sides).map((name, index) => [name, `${(times[index] ?? 0).toFixed(1)} ms`])
    console.log(formatTable(['what', `median of ${rounds}`], rows))
    if (!podman) console.log('podman is not here, or has no image to run: left out')
    const ratio = mine / bare
    console.log(`\ncreate to first command: ${ratio.toFixed(2)} times bubblewrap alone (promise: at most 3)`)
    if (ratio > 3) process.exitCode = 1
  } finally {
    await provider.close()
    await rm(scratch, { recursive: true, force: true })
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

async function bareCommand(): Promise<() => Promise<void>> {
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

/** The name of an image that podman can run here. */
async function findPodman(): Promise<string | undefined> {
  const { code, output } = await runProgram('podman', ['images', '--format', '{{.Repository}}:{{.Tag}}'])
  const image = code === 0 ? output.split('\n').find((name) => name !== '' && !name.includes('<none>')) : undefined
  if (image === undefined) return undefined
  const tried = await runProgram('podman', podmanArguments(image), { timeoutMs: 60_000 })
  return tried.code === 0 ? image : undefined
}

const podmanArguments = (image: string) => [
  ...[
    '--runtime',
    'runc',
    'run',
    '--rm',
    '--network',
    'none',
    '--ulimit',
    'nofile=1024:1024',
    '--ulimit',
    'nproc=512:512',
  ],
  ...[image, 'true'],
]

async function podmanCommand(image: string): Promise<() => Promise<void>> {
  const { code, output } = await runProgram('podman', podmanArguments(image), { timeoutMs: 60_000 })
  if (code !== 0) throw new Error(output)
  return async () => undefined
}
