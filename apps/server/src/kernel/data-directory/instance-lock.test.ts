import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bundleScript } from '../jobs/testing/run-script.ts'
import { takeInstanceLock } from './instance-lock.ts'
import { startHeartbeat } from './lock-heartbeat.ts'
import { identifyProcess } from './process-identity.ts'

let directory: string
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'svc-lock-')), 'lock')
})
afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }))

describe('the lock of a data directory', () => {
  test('of many that race for a free lock exactly one wins, and the others learn its pid', async () => {
    const attempts = await Promise.all(Array.from({ length: 40 }, () => takeInstanceLock(directory)))
    expect(attempts.filter(({ taken }) => taken)).toHaveLength(1)
    for (const attempt of attempts) if (!attempt.taken) expect(attempt.holder.pid).toBe(process.pid)
  })

  test('of many that race for the lock of a dead process exactly one wins', async () => {
    await leaveLock({ ...(await identifyProcess(process.pid)), pid: 2 ** 22 + 1, startedAt: '1' })
    const attempts = await Promise.all(Array.from({ length: 40 }, () => takeInstanceLock(directory)))
    expect(attempts.filter(({ taken }) => taken)).toHaveLength(1)
  })

  test('a recycled pid, an empty file and garbage are no holder', async () => {
    const self = await identifyProcess(process.pid)
    for (const stale of [{ ...self, startedAt: '1' }, '', '{"pid":', '[]', 'null']) {
      await leaveLock(stale)
      const attempt = await takeInstanceLock(directory)
      expect(attempt.taken, JSON.stringify(stale)).toBe(true)
      await rm(directory, { recursive: true })
    }
  })

  test('a refused attempt changes nothing in the directory', async () => {
    await takeInstanceLock(directory)
    const before = await readdir(directory)
    expect((await takeInstanceLock(directory)).taken).toBe(false)
    expect(await readdir(directory)).toEqual(before)
  })

  test('a released lock is free, and the directory does not grow', async () => {
    for (let round = 0; round < 20; round++) {
      const attempt = await takeInstanceLock(directory)
      if (!attempt.taken) throw new Error('not free')
      await attempt.release()
    }
    expect(await readdir(directory)).toEqual(['20'])
  })

  test('a holder of another boot, machine or container keeps it while it touches it, and loses it when it stops', async () => {
    const self = await identifyProcess(process.pid)
    for (const foreign of [
      { ...self, bootId: 'other' },
      { ...self, pidNamespace: 'pid:[1]' },
    ]) {
      await leaveLock(foreign)
      const stopHeartbeat = startHeartbeat(join(directory, '7'), { everyMs: 20, staleMs: 0 })
      const refused = await takeInstanceLock(directory)
      expect(refused).toMatchObject({ taken: false, isElsewhere: true, holder: foreign })
      stopHeartbeat()
      const attempt = await takeInstanceLock(directory, { everyMs: 20, staleMs: 200 })
      expect(attempt.taken).toBe(true)
      await rm(directory, { recursive: true })
    }
  })

  test('a lock of another boot that was long not touched is free at once', async () => {
    await leaveLock({ pid: 1, startedAt: '1', bootId: 'before the power cut' })
    const anHourAgo = new Date(Date.now() - 3_600_000)
    await utimes(join(directory, '7'), anHourAgo, anHourAgo)
    expect((await takeInstanceLock(directory)).taken).toBe(true)
  })

  test.runIf(canUnshare())(
    'of two containers on one volume only one gets it, and a killed one loses it',
    async () => {
      const script = await bundleScript(new URL('./testing/hold-lock.ts', import.meta.url))
      const first = startContained(script)
      expect(await first.said).toBe('taken')
      // Both watch for the same touch of the holder.
      const [said, own] = await Promise.all([startContained(script).said, takeInstanceLock(directory)])
      expect(said).toBe('refused')
      expect(own).toMatchObject({ taken: false, isElsewhere: true })
      first.child.kill('SIGKILL')
      expect(await takeInstanceLock(directory, { everyMs: 20, staleMs: 2_000 })).toMatchObject({ taken: true })
    },
    60_000,
  )

  /** As root on Linux, unless a sandbox forbids it. */
  function canUnshare(): boolean {
    return spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0
  }

  /** A process that sees no process but itself, as in a container. */
  function startContained(script: string) {
    const args = ['--pid', '--fork', '--mount-proc', '--kill-child', process.execPath, script, directory]
    const child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const said = new Promise<string>((resolve) => {
      child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
      child.once('exit', (code) => resolve(`ended with ${code}`))
    })
    return { child, said }
  }

  async function leaveLock(content: unknown): Promise<void> {
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, '7'), typeof content === 'string' ? content : JSON.stringify(content))
  }
})
