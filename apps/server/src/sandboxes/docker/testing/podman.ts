import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { connectEngine, type Engine } from '../engine.ts'

const run = promisify(execFile)

export const baseImage = 'svc-test-base:latest'

/** Why no container can be tested here; undefined when they can. */
export async function whyNoPodman(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'containers need Linux'
  if (process.getuid?.() !== 0) return 'these tests need root'
  for (const command of ['podman', 'runc', 'catatonit', 'tar']) {
    const isThere = await run('sh', ['-c', `command -v ${command}`]).then(
      () => true,
      () => false,
    )
    if (!isThere) return `${command} is not installed`
  }
  return undefined
}

/** A Podman of its own, apart from that of the machine, with one image made from files of this host. */
export interface TestPodman {
  readonly socketPath: string
  readonly engine: Engine
  /** What its own program has to be told to be this one. */
  readonly options: readonly string[]
  stop(): Promise<void>
}

export async function startPodman(): Promise<TestPodman> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-podman-'))
  const socketPath = join(folder, 'engine.sock')
  const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run')]
  // crun refuses hosts with both kinds of control groups.
  const options = [...storage, '--cgroup-manager', 'cgroupfs', '--runtime', 'runc']
  const service = spawn('podman', [...options, 'system', 'service', '--time=0', `unix://${socketPath}`], {
    stdio: 'ignore',
    // Its monitor leaves a file where it stands when a container runs out of memory.
    cwd: folder,
  })
  const stop = async () => {
    const isGone = service.exitCode !== null || service.signalCode !== null
    const ended = isGone ? undefined : new Promise((resolve) => service.once('exit', resolve))
    service.kill('SIGTERM')
    await ended
    await run('podman', [...options, 'rm', '--all', '--force', '--time', '0']).catch(() => undefined)
    await run('podman', [...options, 'unshare', 'true']).catch(() => undefined)
    await run('umount', [join(folder, 'root', 'overlay')]).catch(() => undefined)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    for (let tries = 0; !existsSync(socketPath); tries++) {
      if (tries > 2_400) throw new Error('Podman did not open its socket.')
      await sleep(50)
    }
    const engine = connectEngine(socketPath)
    await importBaseImage(engine, folder)
    return { socketPath, engine, options, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const programs =
  'sh bash cat ls echo mkdir rm cp mv sleep true false chmod ln env id git head tail grep sed touch dd uname find wc seq'

/** No registry is asked: the shell, git and what they and Node need are taken from this machine. */
async function importBaseImage(engine: Engine, folder: string): Promise<void> {
  const root = join(folder, 'base')
  for (const path of ['usr/bin', 'usr/lib', 'etc', 'tmp', 'proc', 'sys', 'dev', 'run', 'home', 'opt']) {
    await mkdir(join(root, path), { recursive: true })
  }
  await chmod(join(root, 'tmp'), 0o1777)
  await symlink('usr/bin', join(root, 'bin'))
  await symlink('usr/lib', join(root, 'lib'))
  if (existsSync('/lib64')) await symlink('usr/lib', join(root, 'lib64'))
  const paths: string[] = []
  for (const name of programs.split(' ')) {
    const { stdout } = await run('sh', ['-c', `command -v ${name} || true`], { env: { PATH: '/usr/bin:/bin' } })
    const found = stdout.trim()
    const path = found.startsWith('/') ? found : existsSync(`/usr/bin/${name}`) ? `/usr/bin/${name}` : ''
    if (path === '') continue
    await cp(await realpath(path), join(root, 'usr/bin', name))
    paths.push(await realpath(path))
  }
  for (const library of await listLibraries([...paths, process.execPath, '/usr/lib/git-core/git-remote-http'])) {
    const place = library.startsWith('/lib64/')
      ? join('usr/lib', basename(library))
      : library.replace(/^\/(?:usr\/)?lib/, 'usr/lib')
    await mkdir(dirname(join(root, place)), { recursive: true })
    await cp(await realpath(library), join(root, place))
  }
  if (existsSync('/usr/lib/git-core'))
    await cp('/usr/lib/git-core', join(root, 'usr/lib/git-core'), { recursive: true })
  const tar = spawn('tar', ['-C', root, '-cf', '-', '.'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const upload = { type: 'application/x-tar', stream: tar.stdout }
  const [repo = '', tag = ''] = baseImage.split(':')
  const answer = await engine.stream('/images/create', { method: 'POST', query: { fromSrc: '-', repo, tag }, upload })
  for await (const _ of answer);
}

async function listLibraries(binaries: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (const binary of binaries) {
    const { stdout } = await run('ldd', [binary]).catch(() => ({ stdout: '' }))
    for (const match of stdout.matchAll(/(\/\S+) \(0x/g)) if (match[1]) found.add(match[1])
  }
  return found
}
