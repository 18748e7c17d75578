import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sandboxdFolder } from '@svc/sandboxd'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { BootConfig, ExecResult, MachineSpec } from '../provider.ts'
import { createDockerProvider, type DockerProvider, type DockerProviderOptions } from './index.ts'
import { baseImage, startPodman, whyNoPodman } from './testing/podman.ts'

const why = await whyNoPodman()
if (why !== undefined) console.log(`container sandboxes are not tested here: ${why}`)

const Inspected = z.looseObject({ State: z.looseObject({ Pid: z.number() }) })

describe.skipIf(why !== undefined)('container sandboxes', () => {
  let podman: Awaited<ReturnType<typeof startPodman>>
  let dataDir: string
  let provider: DockerProvider
  const hostUid = 300_000_000 + (process.pid % 100_000) * 1_000
  let machines = 0

  const make = (options: Partial<DockerProviderOptions> = {}) =>
    createDockerProvider({
      dataDir,
      nodeId: 'test-node',
      socketPath: podman.socketPath,
      baseImage,
      buildNetwork: 'none',
      files: () => [
        { hostPath: process.execPath, machinePath: '/opt/svc/node/bin/node' },
        { hostPath: sandboxdFolder, machinePath: '/opt/svc/sandboxd' },
      ],
      openEgress: async () => undefined,
      ...options,
    })
  const boot: BootConfig = { serviceKey: 'k'.repeat(43), runtime: undefined, env: {}, files: [], repository: undefined }
  const newSpec = (change: Partial<MachineSpec> = {}): MachineSpec => {
    machines += 1
    return {
      externalId: `sbtest${String(machines).padStart(14, '0')}`,
      projectId: 'p',
      resources: { cpu: 1, memoryGb: 0.5, diskGb: 1 },
      image: undefined,
      workspace: undefined,
      hostUid: hostUid + machines,
      ...change,
    }
  }
  const ended: string[] = []

  async function startMachine(change: Partial<MachineSpec> = {}, by = provider): Promise<string> {
    const spec = newSpec(change)
    await by.create(spec)
    await by.start(spec.externalId, boot, (reason) => ended.push(reason))
    return spec.externalId
  }
  const sh = (externalId: string, command: string): Promise<ExecResult> =>
    provider.exec(externalId, { argv: ['sh', '-c', command], timeoutMs: 60_000 })

  beforeAll(async () => {
    podman = await startPodman()
    dataDir = await mkdtemp(join(tmpdir(), 'svc-docker-'))
    provider = make()
  }, 120_000)
  afterAll(async () => {
    await provider?.close()
    await podman?.stop()
    if (dataDir) await rm(dataDir, { recursive: true, force: true })
  }, 120_000)

  /** Used by one test after the other: most of what takes time here is a container's start. */
  let id: string

  test('a machine starts, runs commands as its own user and its template’s command, and keeps its disk over a stop', async () => {
    const look = 'cat /run/svc/boot.json >> /workspace/started 2> /dev/null'
    const entrypoint = `${look}; echo 'it''s up' >> /workspace/started; exit 3`
    id = await startMachine({ entrypoint })
    const spec = machines
    const first = await sh(id, 'id -u; pwd; echo $HOME; touch /workspace/kept /home/agent/kept')
    expect(first.stderr).toBe('')
    expect(first.stdout).toBe(`${hostUid + spec}\n/workspace\n/home/agent\n`)
    const started = async () => (await sh(id, 'cat /workspace/started')).stdout
    await expect.poll(started).toBe('its up\n')
    await provider.start(id, boot, () => undefined)
    expect(await provider.list()).toContainEqual({ externalId: id, status: 'running' })
    await provider.stop(id)
    await provider.stop(id)
    expect(ended).toEqual([])
    expect(await provider.list()).toContainEqual({ externalId: id, status: 'stopped' })
    await expect(sh(id, 'true')).rejects.toThrow('does not run')
    await provider.start(id, boot, (reason) => ended.push(reason))
    expect((await sh(id, 'ls /workspace /home/agent')).stdout.match(/kept/g)).toHaveLength(2)
    await expect.poll(started).toBe('its up\nits up\n')
  }, 120_000)

  test('inside there is no network, no capability, no way to gain one, nothing writable but the disk, and no secret', async () => {
    const status = (await sh(id, 'cat /proc/self/status')).stdout
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(status).toMatch(new RegExp(`${set}:\\s0+\\n`))
    expect(status).toMatch(/NoNewPrivs:\s1/)
    expect(status).toMatch(/Seccomp:\s2/)
    expect((await sh(id, 'cat /proc/net/dev')).stdout.match(/^\s*\w+:/gm)?.map((name) => name.trim())).toEqual(['lo:'])
    for (const path of [
      '/usr/x',
      '/etc/x',
      '/opt/svc/x',
      '/opt/svc/sandboxd/x',
      '/run/svc-host/x',
      '/x',
      '/etc/passwd',
    ]) {
      expect([path, (await sh(id, `echo 1 >> ${path}`)).exitCode]).not.toEqual([path, 0])
    }
    expect((await sh(id, 'mkdir /tmp/x && touch /tmp/x/y')).exitCode).toBe(0)
    expect((await sh(id, 'ls -A /run/svc')).stdout).not.toContain('boot.json')
    expect((await sh(id, 'env')).stdout).not.toContain(boot.serviceKey)
    expect((await sh(id, 'ls /var/run/docker.sock /run/podman')).exitCode).not.toBe(0)
    expect((await sh(id, 'bash -c "ulimit -n; ulimit -u"')).stdout).toMatch(/^\d{1,5}\n\d{1,5}\n$/)
  }, 120_000)

  test('it says how much a machine uses; one that is frozen does nothing until it goes on', async () => {
    await sh(id, 'dd if=/dev/zero of=/workspace/big bs=1M count=20')
    const stats = await provider.stats(id)
    expect(stats?.memoryBytes).toBeGreaterThan(1_000_000)
    expect(stats?.processes).toBeGreaterThan(0)
    expect(stats?.diskBytes).toBeGreaterThan(20 * 1024 ** 2)
    await provider.pause(id)
    await provider.pause(id)
    expect(await provider.list()).toContainEqual({ externalId: id, status: 'paused' })
    await provider.resume(id)
    expect((await sh(id, 'echo on')).stdout).toBe('on\n')
    expect(await provider.stats('sbnobody')).toBeUndefined()
  }, 120_000)

  test('a fork bomb and a machine that uses too much memory end at their limits, and the host goes on', async () => {
    await provider
      .exec(id, { argv: ['bash', '-c', '(:(){ :|:& };:) & sleep 1'], timeoutMs: 4_000 })
      .catch(() => undefined)
    expect((await provider.stats(id))?.processes ?? 0).toBeLessThanOrEqual(768)
    await provider.pause(id)
    await provider.stop(id)
    expect(await provider.stats(id)).toMatchObject({ memoryBytes: 0, processes: 0 })
    await provider.start(id, boot, (reason) => ended.push(reason))
    const hog = 'const a=[]; for(;;) a.push(Buffer.alloc(20e6,1))'
    const argv = ['/opt/svc/node/bin/node', '-e', hog]
    // The kernel ends the command, or the machine with it; in both cases it is told and the host goes on.
    const outcome = await provider.exec(id, { argv, timeoutMs: 60_000 }).then(
      ({ exitCode }) => exitCode,
      () => expect.poll(() => ended.at(-1)).toMatch(/The machine/),
    )
    expect(outcome).not.toBe(0)
  }, 180_000)

  test('one that is destroyed leaves nothing', async () => {
    await provider.destroy(id)
    await provider.destroy(id)
    expect((await provider.list()).some(({ externalId }) => externalId === id)).toBe(false)
    expect(existsSync(join(dataDir, 'containers', id))).toBe(false)
  })

  describe('with a way out', () => {
    const server = createServer((_, response) => response.end('the way out'))
    let closed = 0
    let own: DockerProvider
    beforeAll(async () => {
      own = make({
        async openEgress(machine) {
          await new Promise<void>((resolve) => server.listen(machine.socketPath, resolve))
          execFileSync('chown', [String(machine.hostUid), machine.socketPath])
          await writeFile(join(dataDir, 'containers', machine.externalId, 'host', 'ca.pem'), 'certificate')
          return {
            async close() {
              closed += 1
              await new Promise((resolve) => server.close(resolve))
            },
          }
        },
      })
      id = await startMachine({ resources: { cpu: 1, memoryGb: 0.5, diskGb: 0.01 } }, own)
    }, 120_000)
    afterAll(() => own?.close())

    test('it is the egress socket, with the certificate beside it', async () => {
      const ask = `require('node:http').get({socketPath:'/run/svc/egress.sock',path:'/v1/x'},r=>r.pipe(process.stdout)).on('error',e=>{console.log(e.code);process.exit(1)})`
      const argv = ['/opt/svc/node/bin/node', '-e', ask]
      expect((await own.exec(id, { argv, timeoutMs: 30_000 })).stdout).toBe('the way out')
      expect((await own.exec(id, { argv: ['cat', '/run/svc/ca.pem'] })).stdout).toBe('certificate')
    })

    test('a machine with more on its disk than it may have is ended and says so; what it wrote stays', async () => {
      await own.exec(id, { argv: ['dd', 'if=/dev/zero', 'of=/workspace/big', 'bs=1M', 'count=20'] })
      await own.checkDisks()
      await expect.poll(() => ended.at(-1)).toMatch(/more than 0.01 GB on its disk/)
      await expect.poll(() => closed).toBe(1)
      expect(existsSync(join(dataDir, 'containers', id, 'workspace', 'big'))).toBe(true)
      await rm(join(dataDir, 'containers', id, 'workspace', 'big'))
    })

    test('one with more files than it may have is ended as well', async () => {
      await own.start(id, boot, (reason) => ended.push(reason))
      await own.exec(id, { argv: ['sh', '-c', 'mkdir many; cd many; seq 1200 | while read n; do : > $n; done'] })
      await own.checkDisks()
      await expect.poll(() => ended.at(-1)).toMatch(/more than 1000 files on its disk/)
      await rm(join(dataDir, 'containers', id, 'workspace', 'many'), { recursive: true })
    })

    test('one that ends by itself is told, and its container and socket are gone', async () => {
      await own.start(id, boot, (reason) => ended.push(reason))
      const before = closed
      process.kill(await containerPid(id), 'SIGKILL')
      await expect.poll(() => ended.at(-1)).toMatch(/ended by itself|lost the machine/)
      await expect.poll(() => closed).toBe(before + 1)
      await own.destroy(id)
    }, 120_000)
  })

  test('a killed platform’s containers are ended by the next start, and nobody else’s', async () => {
    id = await startMachine()
    const theirs = make({ nodeId: 'another-node' })
    const other = await startMachine({}, theirs)
    await make().reap()
    await expect.poll(() => ended.at(-1)).toMatch(/ended by itself|lost the machine/)
    await expect
      .poll(async () => (await provider.list()).find(({ externalId }) => externalId === id)?.status)
      .toBe('stopped')
    expect((await theirs.exec(other, { argv: ['echo', 'here'] })).stdout).toBe('here\n')
    await theirs.destroy(other)
    await provider.start(id, boot, () => undefined)
  }, 120_000)

  test('nothing of a guest’s run folder is followed by the host', async () => {
    const secret = join(dataDir, 'secret.sock')
    await writeFile(secret, 'host file')
    await sh(id, 'rm /run/svc/host.sock; ln -s /etc/passwd /run/svc/host.sock')
    await expect(provider.connect(id)).rejects.toThrow()
    expect(await readFile(secret, 'utf8')).toBe('host file')
    await provider.destroy(id)
  }, 120_000)

  describe('images', () => {
    const lines: string[] = []
    const build = (name: string, input: { image?: string; dockerfile?: string; anew?: boolean }) => buildIt(name, input)

    async function buildIt(
      name: string,
      input: { image?: string; dockerfile?: string; anew?: boolean },
    ): Promise<string> {
      const folder = await mkdtemp(join(dataDir, 'context-'))
      const contextTarPath = join(folder, 'context.tar.gz')
      if (input.dockerfile !== undefined) {
        await writeFile(join(folder, 'Dockerfile'), input.dockerfile)
        await writeFile(join(folder, 'hello.txt'), 'from the repository')
        execFileSync('tar', ['-C', folder, '-czf', contextTarPath, 'Dockerfile', 'hello.txt'])
      }
      const dockerfile =
        input.dockerfile === undefined ? undefined : { text: input.dockerfile, path: 'Dockerfile', contextTarPath }
      return (provider.build ?? fail)(
        { name, image: input.image, dockerfile, anew: input.anew ?? false },
        (line) => lines.push(line),
        AbortSignal.timeout(120_000),
      )
    }
    const fail = () => Promise.reject(new Error('this provider builds nothing'))
    const category = (built: Promise<unknown>) =>
      built.then(
        () => 'built',
        (error: { category?: string; message: string }) =>
          (error.category === 'unknown' ? error.message : error.category) ?? error.message,
      )

    test('one is built from an image that is here, and a machine runs from it', async () => {
      expect(await provider.hasImage('svc-sandbox-one')).toBe(false)
      expect(await build('svc-sandbox-one', { image: baseImage })).toBe('svc-sandbox-one')
      expect(await provider.hasImage('svc-sandbox-one')).toBe(true)
      const id = await startMachine({ image: 'svc-sandbox-one' })
      expect((await sh(id, 'git --version')).stdout).toMatch(/^git version/)
      await provider.destroy(id)
      expect(await provider.removeImage('svc-sandbox-one')).toBe(true)
      expect(await provider.removeImage('svc-sandbox-one')).toBe(false)
    }, 180_000)

    test('one is built from a Dockerfile with the repository’s files and without a network; each line of it is told', async () => {
      const steps = 'RUN echo built-here > /made.txt; cat /proc/net/dev > /net.txt'
      await build('svc-sandbox-two', {
        dockerfile: `FROM ${baseImage}\nCOPY hello.txt /hello.txt\n${steps}\n`,
        anew: true,
      })
      expect(lines.join('\n')).toContain('RUN echo built-here')
      const built = await startMachine({ image: 'svc-sandbox-two' })
      expect((await sh(built, 'cat /hello.txt /made.txt')).stdout).toBe('from the repositorybuilt-here\n')
      expect((await sh(built, 'cat /net.txt')).stdout.match(/^\s*\w+:/gm)?.map((name) => name.trim())).toEqual(['lo:'])
      await provider.destroy(built)
    }, 180_000)

    test('what fails says where it comes from', async () => {
      expect(await category(build('svc-sandbox-x', { dockerfile: `FROM ${baseImage}\nRUN false\n` }))).toBe('layer')
      expect(await category(build('svc-sandbox-x', { dockerfile: 'FRM nothing\n' }))).toBe('dockerfile')
      expect(await category(build('svc-sandbox-x', { dockerfile: `FROM ${baseImage}\nRUN rm /usr/bin/git\n` }))).toBe(
        'runtime',
      )
      expect(await provider.hasImage('svc-sandbox-x')).toBe(false)
      const gone = make({ socketPath: join(dataDir, 'nobody.sock') })
      expect(await category(gone.hasImage('a'))).toBe('provider')
      expect(await gone.check()).toMatchObject({
        status: 'missing',
        next: expect.stringContaining('SVC_DOCKER_SOCKET'),
      })
    }, 240_000)
  })

  /** Never that of one that does not run, which is 0: to kill that is to kill the tests themselves. */
  async function containerPid(externalId: string): Promise<number> {
    const readPid = async () => Inspected.parse(await podman.engine.ask(`/containers/svc-${externalId}/json`)).State.Pid
    await expect.poll(readPid).toBeGreaterThan(1)
    const pid = await readPid()
    expect(pid).toBeGreaterThan(1)
    return pid
  }
})
