import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { repository } from '../../scripts/testing/make-house.ts'
import { killQuietly } from '../faults/database-runner.ts'
import { findFreePort } from '../support/find-free-port.ts'
import { makePlaceholderHouse } from './placeholder-house.ts'
import { isHealthy, type RunningNpm, spawnNpm, waitUntilGone } from './spawn-npm.ts'

// A first start may have to build everything, on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 180_000 })

const hasProc = existsSync('/proc/self/stat')
const hasServer = existsSync(join(repository, 'apps/server/src/main.ts'))

let running: RunningNpm | undefined
afterEach(async () => {
  if (running && running.processes().length > 0) {
    for (const pid of running.processes()) killQuietly(pid)
    await waitUntilGone(running)
  }
  running = undefined
})

async function start(folder: string, dataDir: string): Promise<RunningNpm> {
  const port = await findFreePort()
  running = spawnNpm(['start'], folder, { PORT: String(port), SVC_DATA_DIR: dataDir, SVC_NO_SYSTEM_INSTALL: '1' })
  await running.until(() => isHealthy(port))
  return running
}

/** What both the placeholder and the real server must do when the person at the terminal wants them to stop. */
function itStopsCleanly(place: () => { folder: string; dataDir: string }) {
  test('SIGTERM to npm drains, ends with 0 and leaves no process', async () => {
    const npm = await start(place().folder, place().dataDir)
    expect(npm.processes().length).toBeGreaterThan(2)
    process.kill(npm.pid, 'SIGTERM')
    expect(await npm.ended(), npm.output()).toEqual({ code: 0, signal: null })
    expect(await waitUntilGone(npm)).toEqual([])
  })

  test('Ctrl-C, a SIGINT to the whole group, drains, ends with 0 and leaves no process', async () => {
    const npm = await start(place().folder, place().dataDir)
    expect(npm.processes().length).toBeGreaterThan(2)
    process.kill(-npm.pid, 'SIGINT')
    expect(await npm.ended(), npm.output()).toEqual({ code: 0, signal: null })
    expect(await waitUntilGone(npm)).toEqual([])
  })
}

describe.runIf(hasProc)('npm start with a placeholder server', () => {
  let house: ReturnType<typeof makePlaceholderHouse>
  beforeAll(() => {
    house = makePlaceholderHouse()
  })
  afterAll(() => house.remove())

  itStopsCleanly(() => ({ folder: house.folder, dataDir: join(house.folder, '.data') }))

  test('a second start builds nothing, and a change builds what it reaches', async () => {
    expect(house.run('build.mjs').code).toBe(0)
    expect(house.run('build.mjs').stdout).toBe('• 0 built, 2 unchanged\n')

    house.write('apps/server/src/extra.ts', 'export const extra = 1\n')
    expect(house.run('build.mjs').stdout).toContain('• 1 built, 1 unchanged')

    house.greet('good evening')
    expect(house.run('build.mjs').stdout).toContain('• 2 built, 0 unchanged')
  })

  test('a test file or a note changes no build', () => {
    expect(house.run('build.mjs').code).toBe(0)
    house.write('packages/words/src/index.test.ts', 'export {}\n')
    house.write('packages/words/README.md', 'words\n')
    expect(house.run('build.mjs').stdout).toBe('• 0 built, 2 unchanged\n')
  })

  test('an output that went missing is built again', () => {
    expect(house.run('build.mjs').code).toBe(0)
    rmSync(join(house.folder, 'packages/words/dist/index.mjs'))
    expect(house.run('build.mjs').stdout).toContain('• 1 built, 1 unchanged')
  })

  test('a source that does not build stops the start and names its package', async () => {
    house.write('packages/words/src/index.ts', "export { nothing } from './not-there.ts'\n")
    const npm = spawnNpm(['start'], house.folder, { SVC_NO_SYSTEM_INSTALL: '1' })
    running = npm
    expect((await npm.ended()).code).toBe(1)
    expect(npm.output()).toContain('packages/words does not build')
    expect(npm.output()).toContain('not-there.ts')
    expect(await waitUntilGone(npm)).toEqual([])
    house.greet('hello')
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('%s during set-up ends the build with it', async (signal) => {
    const slow =
      "await new Promise((resolve) => setTimeout(resolve, 60_000))\nexport default { entry: ['src/index.ts'] }\n"
    const config = readFileSync(join(house.folder, 'packages/words/tsdown.config.ts'), 'utf8')
    house.write('packages/words/tsdown.config.ts', slow)
    const npm = spawnNpm(['start'], house.folder, { SVC_NO_SYSTEM_INSTALL: '1' })
    running = npm
    await npm.until(() => npm.output().includes('building') && npm.processes().length > 2)
    process.kill(signal === 'SIGINT' ? -npm.pid : npm.pid, signal)
    expect(await npm.ended(), npm.output()).toEqual({ code: 0, signal: null })
    expect(await waitUntilGone(npm)).toEqual([])
    house.write('packages/words/tsdown.config.ts', config)
  })

  test('two starts at once build once', async () => {
    house.greet('both')
    const ports = [await findFreePort(), await findFreePort()]
    const both = ports.map((port) =>
      spawnNpm(['start'], house.folder, { PORT: String(port), SVC_NO_SYSTEM_INSTALL: '1' }),
    )
    await Promise.all(both.map((npm, index) => npm.until(() => isHealthy(ports[index] ?? 0))))
    expect(both.filter((npm) => npm.output().includes('building')).length).toBe(1)
    for (const npm of both) process.kill(npm.pid, 'SIGTERM')
    for (const npm of both) {
      expect((await npm.ended()).code).toBe(0)
      expect(await waitUntilGone(npm)).toEqual([])
    }
  })
})

describe.runIf(hasProc && hasServer)('npm start with the server', () => {
  let dataDir: string
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'svc-start-'))
  })
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

  itStopsCleanly(() => ({ folder: repository, dataDir: join(dataDir, 'data') }))

  test('a stopped server starts again on the same data and says how long that took', async () => {
    const npm = await start(repository, join(dataDir, 'data'))
    await npm.until(() => npm.output().includes('ready in'))
    expect(npm.output()).toMatch(/ready in [\d.]+ s \(set-?up [\d.]+/)
    process.kill(npm.pid, 'SIGTERM')
    expect((await npm.ended()).code).toBe(0)
  })
})
