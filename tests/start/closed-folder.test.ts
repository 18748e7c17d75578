import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { repository } from '../../scripts/testing/make-house.ts'
import { findFreePort } from '../support/find-free-port.ts'
import { type Clone, cloneRepository } from './clone-repository.ts'
import { isHealthy, spawnNpm, waitUntilGone } from './spawn-npm.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const canRun = existsSync('/proc/self/stat') && existsSync(join(repository, '.git'))

describe.runIf(canRun)('a clone and its data below a folder that only root may enter', () => {
  let clone: Clone
  beforeAll(() => {
    clone = cloneRepository('copied')
  })
  afterAll(() => clone.remove())

  test('builds, starts, stops with 0 and leaves no process', async () => {
    const port = await findFreePort()
    const env = { PORT: String(port), SVC_DATA_DIR: clone.dataDir, SVC_NO_SYSTEM_INSTALL: '1' }
    const npm = spawnNpm(['start'], clone.folder, env)
    await npm.until(() => isHealthy(port))
    expect(npm.output()).toContain('building')
    process.kill(npm.pid, 'SIGTERM')
    expect(await npm.ended(), npm.output()).toEqual({ code: 0, signal: null })
    expect(await waitUntilGone(npm)).toEqual([])
  })
})
