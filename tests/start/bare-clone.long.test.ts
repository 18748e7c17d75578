import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { repository } from '../../scripts/testing/make-house.ts'
import { findFreePort } from '../support/find-free-port.ts'
import { type Clone, cloneRepository } from './clone-repository.ts'
import { isHealthy, spawnNpm, waitUntilGone } from './spawn-npm.ts'

vi.setConfig({ testTimeout: 900_000 })

const canRun = existsSync('/proc/self/stat') && existsSync(join(repository, '.git'))

/** The first minute of a new user, as root below a closed folder and with the network. */
describe.runIf(canRun)('a bare clone', () => {
  let clone: Clone
  beforeAll(() => {
    clone = cloneRepository('none')
  })
  afterAll(() => clone.remove())

  test('npm start installs, builds, starts, and the second start does neither of the first two', async () => {
    const first = await startAndStop()
    expect(first).toContain('installing npm packages')
    expect(first).toContain('building')
    const second = await startAndStop()
    expect(second).not.toContain('installing npm packages')
    expect(second).not.toContain('building')
  })

  async function startAndStop(): Promise<string> {
    const port = await findFreePort()
    const env = { PORT: String(port), SVC_DATA_DIR: clone.dataDir, SVC_NO_SYSTEM_INSTALL: '1', NODE_ENV: 'production' }
    const npm = spawnNpm(['start'], clone.folder, env)
    await npm.until(() => isHealthy(port))
    process.kill(npm.pid, 'SIGTERM')
    expect(await npm.ended(), npm.output()).toEqual({ code: 0, signal: null })
    expect(await waitUntilGone(npm)).toEqual([])
    return npm.output()
  }
})
