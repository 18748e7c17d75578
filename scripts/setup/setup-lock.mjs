import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { say } from './progress.mjs'
import { inRepository } from './repository.mjs'

const retryEveryMs = 100

/**
 * Only one process installs or builds in a clone at a time (`npm start` and `npm test` in two terminals). A lock
 * whose process is gone is taken over.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withSetupLock(work) {
  const path = inRepository('.cache', 'setup.lock')
  mkdirSync(inRepository('.cache'), { recursive: true })
  let told = false
  while (!tryTake(path)) {
    const holder = readHolder(path)
    if (holder !== undefined && !isSetup(holder)) {
      rmSync(path, { force: true })
      continue
    }
    if (!told && holder !== undefined) say(`• waiting for the set-up that process ${holder} is doing in this clone …`)
    told = told || holder !== undefined
    await sleep(retryEveryMs)
  }
  const release = () => rmSync(path, { force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    process.off('exit', release)
    release()
  }
}

/** @param {string} path */
function tryTake(path) {
  try {
    writeFileSync(path, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** @param {string} path */
function readHolder(path) {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10) || undefined
  } catch {
    // Released between our attempt and this look: the next attempt takes it.
    return undefined
  }
}

/**
 * A process number may have been given to something else since: where /proc tells, it must be one of our scripts.
 *
 * @param {number} pid
 */
function isSetup(pid) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM means it lives under another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('.mjs')
  } catch {
    // No /proc on this system: the process lives, so believe the lock.
    return true
  }
}
