import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { takeInstanceLock } from './instance-lock.ts'
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
    await leaveLock({ pid: 2 ** 22 + 1, startedAt: '1', bootId: 'gone' })
    const attempts = await Promise.all(Array.from({ length: 40 }, () => takeInstanceLock(directory)))
    expect(attempts.filter(({ taken }) => taken)).toHaveLength(1)
  })

  test('a recycled pid, another boot, an empty file and garbage are no holder', async () => {
    const self = await identifyProcess(process.pid)
    for (const stale of [{ ...self, startedAt: '1' }, { ...self, bootId: 'other' }, '', '{"pid":', '[]', 'null']) {
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

  async function leaveLock(content: unknown): Promise<void> {
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, '7'), typeof content === 'string' ? content : JSON.stringify(content))
  }
})
